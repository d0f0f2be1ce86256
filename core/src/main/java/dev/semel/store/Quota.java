package dev.semel.store;

import java.time.Duration;

/**
 * A limit of the new keys that a user may start within a sliding window. Engines that share a store should have the same quota, since
 * each length of window is counted separately.
 *
 * @param limit the most new keys in a window; 0 for no limit
 * @param window the length of the window, at most {@linkplain #LONGEST an hour}
 */
public record Quota(int limit, Duration window) {

    /** The longest window. Stores keep the start of every key for as long, whatever its outcome. */
    public static final Duration LONGEST = Duration.ofHours(1);

    /** No limit on the number of new keys. */
    public static final Quota NONE = new Quota(0, Duration.ZERO);

    /**
     * Checks the limit and the window.
     *
     * @throws IllegalArgumentException if the limit is negative, or if there is a limit and the window is not positive or over an hour
     */
    public Quota {
        boolean isWindow = !window.isZero() && !window.isNegative() && window.compareTo(LONGEST) <= 0;
        if (limit < 0 || (limit > 0 && !isWindow)) {
            throw new IllegalArgumentException(
                    "A quota has a limit from 0 on and a window of up to an hour, not " + limit + " in " + window);
        }
    }

    /** Whether there is a limit at all. */
    public boolean isLimited() {
        return limit > 0;
    }
}
