package dev.semel.store;

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
public final class NewKeyLedger {

    private final Map<Line, ArrayDeque<Instant>> lines = new ConcurrentHashMap<>();
    private final BiFunction<String, Instant, List<Instant>> known;

    /** Whose keys are counted, and over what time. */
    private record Line(String user, Duration window) {}

    /** @param known when a user began keys since some moment, in order: asked once for each user */
    public NewKeyLedger(BiFunction<String, Instant, List<Instant>> known) {
        this.known = known;
    }

    /** How long a user has to wait before they may begin another key; zero if they need not. */
    public Duration waitFor(String user, Quota quota, Instant now) {
        return quota.isLimited() ? count(user, quota, now, null) : Duration.ZERO;
    }

    /**
     * Counts a key that is about to be begun.
     *
     * @return zero; or, if the user has begun as many as they may, how long they have to wait
     */
    public Duration begin(String user, Quota quota, Instant now) {
        return quota.isLimited() ? count(user, quota, now, now) : Duration.ZERO;
    }

    /** Takes back that a key was counted, since it could not be begun. */
    public void takeBack(String user, Quota quota, Instant begunAt) {
        lines.computeIfPresent(new Line(user, quota.window()), (line, begun) -> {
            begun.removeLastOccurrence(begunAt);
            return begun;
        });
    }

    private Duration count(String user, Quota quota, Instant now, @Nullable Instant added) {
        Instant windowStart = now.minus(quota.window());
        Duration[] wait = {Duration.ZERO};
        lines.compute(new Line(user, quota.window()), (line, before) -> {
            ArrayDeque<Instant> begun = before == null ? new ArrayDeque<>(known.apply(user, windowStart)) : before;
            while (!begun.isEmpty() && !begun.getFirst().isAfter(windowStart)) {
                begun.removeFirst();
            }
            if (begun.size() >= quota.limit()) {
                // a clock that was set back leaves keys in the future, which are no further off than those of now
                Duration left = Duration.between(windowStart, leaves(begun, quota.limit()));
                wait[0] = left.compareTo(quota.window()) > 0 ? quota.window() : left;
            } else if (added != null) {
                insert(begun, added);
            }
            return begun;
        });
        return wait[0];
    }

    /** In order, also after the clock was set back: the first to be forgotten has to be the first. */
    private static void insert(ArrayDeque<Instant> begun, Instant added) {
        ArrayDeque<Instant> later = new ArrayDeque<>();
        while (!begun.isEmpty() && begun.getLast().isAfter(added)) {
            later.addFirst(begun.removeLast());
        }
        begun.addLast(added);
        begun.addAll(later);
    }

    /** When the count falls below the limit. */
    private static Instant leaves(ArrayDeque<Instant> begun, int limit) {
        return begun.stream().skip(begun.size() - limit).findFirst().orElseThrow();
    }

    /** How many users are counted. */
    public int users() {
        return lines.size();
    }

    /** Forgets a user, who may begin as many keys as somebody new. */
    public void forget(String user) {
        lines.keySet().removeIf(line -> line.user.equals(user));
    }

    /** Forgets users who have begun nothing for as long as they are counted. */
    public void forgetIdle(Instant now) {
        lines.forEach((line, any) -> lines.computeIfPresent(
                line,
                (same, begun) -> begun.isEmpty() || !begun.getLast().isAfter(now.minus(line.window())) ? null : begun));
    }
}
