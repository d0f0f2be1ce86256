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
 * Counts the new keys of users over a sliding window, for stores that only one process uses. A key is counted before it is written, and
 * the count is undone if the write fails. So a quota is never exceeded, and no user waits for another's write.
 */
public final class QuotaCounter {

    private final Map<UserWindow, ArrayDeque<Instant>> startsByUser = new ConcurrentHashMap<>();
    private final BiFunction<String, Instant, List<Instant>> known;

    /** A user and the window over which the user's keys are counted. */
    private record UserWindow(String user, Duration window) {}

    /**
     * Starts with the keys that are stored already.
     *
     * @param known returns the times, in order, at which a user has started keys since a given time; called once for each user
     */
    public QuotaCounter(BiFunction<String, Instant, List<Instant>> known) {
        this.known = known;
    }

    /** Returns how long a user has to wait before starting another key; zero if the quota allows one now. */
    public Duration waitFor(String user, Quota quota, Instant now) {
        return quota.isLimited() ? count(user, quota, now, null) : Duration.ZERO;
    }

    /**
     * Counts a key that is about to be started.
     *
     * @return zero if the key was counted; otherwise how long the user has to wait
     */
    public Duration start(String user, Quota quota, Instant now) {
        return quota.isLimited() ? count(user, quota, now, now) : Duration.ZERO;
    }

    /** Undoes the count of a key that could not be started. */
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
                // after the clock was set back some starts are in the future: the wait is never longer than the window
                Duration left = Duration.between(windowStart, leaves(starts, quota.limit()));
                wait[0] = left.compareTo(quota.window()) > 0 ? quota.window() : left;
            } else if (added != null) {
                insert(starts, added);
            }
            return starts;
        });
        return wait[0];
    }

    /** Inserts a start in order, even after the clock was set back: the oldest has to be the first. */
    private static void insert(ArrayDeque<Instant> starts, Instant added) {
        ArrayDeque<Instant> later = new ArrayDeque<>();
        while (!starts.isEmpty() && starts.getLast().isAfter(added)) {
            later.addFirst(starts.removeLast());
        }
        starts.addLast(added);
        starts.addAll(later);
    }

    /** Returns when the start leaves the window that brings the count below the limit. */
    private static Instant leaves(ArrayDeque<Instant> starts, int limit) {
        return starts.stream().skip(starts.size() - limit).findFirst().orElseThrow();
    }

    /** Returns how many users are counted. */
    public int users() {
        return startsByUser.size();
    }

    /** Deletes the counts of a user. */
    public void forget(String user) {
        startsByUser.keySet().removeIf(userWindow -> userWindow.user.equals(user));
    }

    /** Deletes the counts of users who have started no key within their window. */
    public void forgetIdle(Instant now) {
        startsByUser.forEach((userWindow, any) -> startsByUser.computeIfPresent(
                userWindow,
                (same, starts) ->
                        starts.isEmpty() || !starts.getLast().isAfter(now.minus(userWindow.window())) ? null : starts));
    }
}
