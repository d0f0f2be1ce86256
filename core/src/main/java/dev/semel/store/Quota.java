package dev.semel.store;

import java.time.Duration;

/**
 * How many new keys a user may begin in a sliding time. Engines that share a store should have the same: keys are counted for each
 * window apart.
 *
 * @param limit how many; 0 for as many as they like
 * @param window in how long a time; {@linkplain #LONGEST an hour} at most, since keys need not be known for longer
 */
public record Quota(int limit, Duration window) {

    /** The longest window. Stores remember for as long when a key was begun, whatever becomes of it. */
    public static final Duration LONGEST = Duration.ofHours(1);

    /** As many as they like. */
    public static final Quota NONE = new Quota(0, Duration.ZERO);

    /** @throws IllegalArgumentException if the limit is negative, or if the window is not positive or over an hour */
    public Quota {
        boolean isWindow = !window.isZero() && !window.isNegative() && window.compareTo(LONGEST) <= 0;
        if (limit < 0 || (limit > 0 && !isWindow)) {
            throw new IllegalArgumentException("Not a quota: " + limit + " in " + window);
        }
    }

    /** Whether there is a limit. */
    public boolean isLimited() {
        return limit > 0;
    }
}
