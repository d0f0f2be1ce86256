package dev.semel.kv;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The timing of {@link KvShortIdAllocator}, and the condition under which no post is overwritten.
 *
 * <p>The condition is {@code settle > gap + 2 × staleness} and {@code settle + 2 × gap <} {@link #CLAIM_TTL}.
 *
 * @param settle how long a writer waits between writing a claim and verifying it
 * @param gap the longest time from the start of a read to the end of the write that depends on it, write latency included. The allocator
 *     measures it, and abandons an id if it takes longer
 * @param staleness how old a value may be that a read returns: zero for a consistent store, null if there is no bound
 */
public record KvTiming(
        Duration settle, Duration gap, @Nullable Duration staleness) {

    /** How long a claim is kept if its writer crashes. */
    public static final Duration CLAIM_TTL = Duration.ofSeconds(60);

    /** The longest time that settle, gap and staleness may have. */
    public static final Duration LONGEST = Duration.ofDays(365);

    /** Settles for 2 s, with a gap of 500 ms and a consistent store. */
    public static final KvTiming DEFAULTS = new KvTiming(Duration.ofSeconds(2), Duration.ofMillis(500), Duration.ZERO);

    /**
     * Checks the times. They need not be safe.
     *
     * @throws IllegalArgumentException if a time is negative or longer than a year
     */
    public KvTiming {
        check("settle", settle);
        check("gap", gap);
        check("staleness", staleness == null ? Duration.ZERO : staleness);
    }

    private static void check(String name, Duration time) {
        if (time.isNegative() || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be from 0 to 365 days, not " + time);
        }
    }

    /** Whether no post is overwritten. */
    public boolean isSafe() {
        return violation().isEmpty();
    }

    /** Returns the part of the condition that does not hold, with its numbers; empty if the timing is safe. */
    public Optional<String> violation() {
        if (staleness == null) {
            return Optional.of("the staleness of the store has no bound, so no settle time is safe");
        }
        Duration least = gap.plus(staleness.multipliedBy(2));
        if (settle.compareTo(least) <= 0) {
            return Optional.of("settle must be more than gap + 2 × staleness: " + text(settle) + " is not more than "
                    + text(gap) + " + 2 × " + text(staleness) + " = " + text(least));
        }
        Duration claimed = settle.plus(gap.multipliedBy(2));
        if (claimed.compareTo(CLAIM_TTL) >= 0) {
            return Optional.of("settle + 2 × gap must be less than the TTL of a claim: " + text(settle) + " + 2 × "
                    + text(gap) + " = " + text(claimed) + " is not less than " + text(CLAIM_TTL));
        }
        return Optional.empty();
    }

    /** Returns a time such as {@code 2s} or {@code 500ms}. */
    private static String text(Duration time) {
        return time.toNanosPart() % 1_000_000_000 == 0
                ? time.toSeconds() + "s"
                : time.toNanosPart() % 1_000_000 == 0 ? time.toMillis() + "ms" : time.toNanos() + "ns";
    }
}
