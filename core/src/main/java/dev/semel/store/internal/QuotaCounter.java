package dev.semel.store.internal;

import dev.semel.store.Quota;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Counts the new keys of users over a sliding time, for stores that one process has to itself. A key is counted before it is
 * written, and no more if that fails: so there is never one too many, and nobody waits for another's write.
 */
public final class QuotaCounter {

    private final Map<UserWindow, ArrayDeque<Instant>> startsByUser = new ConcurrentHashMap<>();
    private final BiFunction<String, Instant, List<Instant>> known;

    /** Whose keys are counted, and over what time. */
    private record UserWindow(String user, Duration window) {}

    /** @param known when a user started keys since some moment, in order: asked once for each user */
    public QuotaCounter(BiFunction<String, Instant, List<Instant>> known) {
        this.known = known;
    }

    /** How long a user has to wait before they may start another key; zero if they need not. */
    public Duration waitFor(String user, Quota quota, Instant now) {
        return quota.isLimited() ? count(user, quota, now, null) : Duration.ZERO;
    }

    /**
     * Counts a key that is about to be started.
     *
     * @return zero; or, if the user has started as many as they may, how long they have to wait
     */
    public Duration start(String user, Quota quota, Instant now) {
        return quota.isLimited() ? count(user, quota, now, now) : Duration.ZERO;
    }

    /** Takes back that a key was counted, since it could not be started. */
    public void undo(String user, Quota quota, Instant startedAt) {
        startsByUser.computeIfPresent(new UserWindow(user, quota.window()), (userWindow, starts) -> {
            starts.removeLastOccurrence(startedAt);
            return starts;
        });
    }

    private Duration count(String user, Quota quota, Instant now, @Nullable Instant added) {
        Instant windowStart = now.minus(quota.window());
        Duration[] wait = {Duration.ZERO};
        startsByUser.compute(new UserWindow(user, quota.window()), (userWindow, before) -> {
            ArrayDeque<Instant> starts = before == null ? new ArrayDeque<>(known.apply(user, windowStart)) : before;
            while (!starts.isEmpty() && !starts.getFirst().isAfter(windowStart)) {
                starts.removeFirst();
            }
            if (starts.size() >= quota.limit()) {
                // a clock that was set back leaves keys in the future, which are no further off than those of now
                Duration left = Duration.between(windowStart, leaves(starts, quota.limit()));
                wait[0] = left.compareTo(quota.window()) > 0 ? quota.window() : left;
            } else if (added != null) {
                insert(starts, added);
            }
            return starts;
        });
        return wait[0];
    }

    /** In order, also after the clock was set back: the first to be forgotten has to be the first. */
    private static void insert(ArrayDeque<Instant> starts, Instant added) {
        ArrayDeque<Instant> later = new ArrayDeque<>();
        while (!starts.isEmpty() && starts.getLast().isAfter(added)) {
            later.addFirst(starts.removeLast());
        }
        starts.addLast(added);
        starts.addAll(later);
    }

    /** When the count falls below the limit. */
    private static Instant leaves(ArrayDeque<Instant> starts, int limit) {
        return starts.stream().skip(starts.size() - limit).findFirst().orElseThrow();
    }

    /** How many users are counted. */
    public int users() {
        return startsByUser.size();
    }

    /** Forgets a user, who may start as many keys as somebody new. */
    public void forget(String user) {
        startsByUser.keySet().removeIf(userWindow -> userWindow.user.equals(user));
    }

    /** Forgets users who have started nothing for as long as they are counted. */
    public void forgetIdle(Instant now) {
        startsByUser.forEach((userWindow, any) -> startsByUser.computeIfPresent(
                userWindow,
                (same, starts) ->
                        starts.isEmpty() || !starts.getLast().isAfter(now.minus(userWindow.window())) ? null : starts));
    }
}
