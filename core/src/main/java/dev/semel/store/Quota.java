package dev.semel.store;

import java.time.Duration;

/**
 * How many new keys a user may begin in a sliding time.
 *
 * @param limit how many; 0 for as many as they like
 * @param window in how long a time
 */
public record Quota(int limit, Duration window) {

    /** As many as they like. */
    public static final Quota NONE = new Quota(0, Duration.ZERO);

    /** @throws IllegalArgumentException if the limit is negative, or if there is one and the window is not positive */
    public Quota {
        if (limit < 0 || (limit > 0 && (window.isZero() || window.isNegative()))) {
            throw new IllegalArgumentException("Not a quota: " + limit + " in " + window);
        }
    }

    /** Whether there is a limit. */
    public boolean isLimited() {
        return limit > 0;
    }
}
