package dev.semel.server.web;

import java.time.Duration;

/**
 * How much one sender may send: so many a second, and twice as many at once. What is sent beyond that is rejected and counts as well,
 * so that whoever goes on and on is told from one who was hasty. Not for several threads at once.
 */
final class RateLimiter {

    private static final double SECOND = 1e9;

    private final double most;
    private final double perNano;
    private double left;
    private long at;

    /**
     * A limiter that has not been used.
     *
     * @param perSecond 0 for as many as they like
     * @param nanos what time it is
     */
    RateLimiter(int perSecond, long nanos) {
        this.perNano = perSecond / SECOND;
        this.most = 2.0 * perSecond;
        this.left = most;
        this.at = nanos;
    }

    /** Takes note of one more. */
    void spend(long nanos) {
        left = Math.min(most, left + (nanos - at) * perNano) - 1;
        at = nanos;
    }

    /** Whether the last one was too much. */
    boolean isSpent() {
        return most > 0 && left < 0;
    }

    /** Whether they went on for as long again although all was rejected. */
    boolean isAbused() {
        return most > 0 && left < -most;
    }

    /** How long until one more is taken. */
    Duration pause() {
        return Duration.ofMillis((long) Math.ceil((1 - left) / perNano / 1e6));
    }
}
