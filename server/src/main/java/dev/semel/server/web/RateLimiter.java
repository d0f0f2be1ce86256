package dev.semel.server.web;

import java.time.Duration;

/**
 * A token bucket that holds the messages of two seconds. Rejected messages take tokens, too, so a client that ignores rejections can be
 * distinguished from one that sent a burst. Not thread-safe.
 */
final class RateLimiter {

    private static final double SECOND = 1e9;

    private final double most;
    private final double perNano;
    private double left;
    private long at;

    /**
     * Creates a full bucket.
     *
     * @param perSecond messages per second; 0 for no limit
     * @param nanos the current time in nanoseconds
     */
    RateLimiter(int perSecond, long nanos) {
        this.perNano = perSecond / SECOND;
        this.most = 2.0 * perSecond;
        this.left = most;
        this.at = nanos;
    }

    /** Takes a token. The bucket may become negative. */
    void spend(long nanos) {
        left = Math.min(most, left + (nanos - at) * perNano) - 1;
        at = nanos;
    }

    /** Whether the last message exceeded the limit. */
    boolean isSpent() {
        return most > 0 && left < 0;
    }

    /** Whether the client has kept sending after rejections, for as many messages as the bucket holds. */
    boolean isAbused() {
        return most > 0 && left < -most;
    }

    /** Returns how long the client has to wait before its next message is accepted. */
    Duration pause() {
        return Duration.ofMillis((long) Math.ceil((1 - left) / perNano / 1e6));
    }
}
