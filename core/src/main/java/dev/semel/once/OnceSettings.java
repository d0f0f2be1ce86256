package dev.semel.once;

import dev.semel.store.Quota;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Durations and limits of the engine.
 *
 * @param retention how long the response of a completed operation is kept
 * @param failedRetention how long a failed operation is remembered
 * @param tombstone how long a key is remembered after its record has expired; zero for not at all
 * @param ifExpired what happens to a call with an expired key
 * @param lease how long an owner may miss heartbeats before its operation counts as abandoned
 * @param longestRun after how long a run that has not ended is given up: its lease is no longer renewed, and other calls are no
 *     longer told that it is in progress
 * @param retryHint when a call that finds the operation in progress should be retried
 * @param responseLimit the most bytes of a response that are kept for retries
 * @param quota how many new keys a user may start
 */
public record OnceSettings(
        Duration retention,
        Duration failedRetention,
        Duration tombstone,
        IfExpired ifExpired,
        Duration lease,
        Duration longestRun,
        Duration retryHint,
        int responseLimit,
        Quota quota) {

    /** What happens to a call with a key that was used before and has expired. */
    public enum IfExpired {

        /** The key is new. */
        RUN_AGAIN,

        /** The call is rejected, as long as a tombstone shows that the operation may have run. */
        REJECT,
    }

    private static final Duration LONGEST = Duration.ofDays(36_525);

    /** A day, a week, thirty days in which an expired key is new, half a minute, an hour, a second, a mebibyte, and a thousand keys an hour. */
    public static final OnceSettings DEFAULTS = new OnceSettings(
            Duration.ofHours(24),
            Duration.ofDays(7),
            Duration.ofDays(30),
            IfExpired.RUN_AGAIN,
            Duration.ofSeconds(30),
            Duration.ofHours(1),
            Duration.ofSeconds(1),
            1 << 20,
            new Quota(1000, Duration.ofHours(1)));

    /** @throws IllegalArgumentException naming the one that is not positive, or longer than a hundred years */
    public OnceSettings {
        requirePositive("retention", retention);
        requirePositive("failedRetention", failedRetention);
        requirePositive("lease", lease);
        Objects.requireNonNull(ifExpired, "ifExpired");
        if (tombstone.isNegative() || tombstone.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("tombstone is negative, or over a hundred years: " + tombstone);
        }
        requirePositive("longestRun", longestRun);
        requirePositive("retryHint", retryHint);
        Objects.requireNonNull(quota, "quota");
        if (responseLimit < 0) {
            throw new IllegalArgumentException("responseLimit is negative: " + responseLimit);
        }
    }

    private static void requirePositive(String name, Duration duration) {
        if (duration.isZero() || duration.isNegative() || duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " is not positive, or over a hundred years: " + duration);
        }
    }

    /** Time from a write to the deadline of a record with a given status: a lease or a retention; null if it never expires. */
    @Nullable Duration ttl(Status status) {
        return switch (status) {
            case PROCESSING -> lease;
            case COMPLETED -> retention;
            case FAILED -> failedRetention;
            case UNKNOWN -> null;
        };
    }

    /** Time from the deadline until a record with a given status may be purged. */
    Duration tombstoneTtl(Status status) {
        return status == Status.PROCESSING ? retention : tombstone;
    }

    public OnceSettings withRetention(Duration retention) {
        return new OnceSettings(
                retention, failedRetention, tombstone, ifExpired, lease, longestRun, retryHint, responseLimit, quota);
    }

    public OnceSettings withFailedRetention(Duration failedRetention) {
        return new OnceSettings(
                retention, failedRetention, tombstone, ifExpired, lease, longestRun, retryHint, responseLimit, quota);
    }

    public OnceSettings withTombstone(Duration tombstone) {
        return new OnceSettings(
                retention, failedRetention, tombstone, ifExpired, lease, longestRun, retryHint, responseLimit, quota);
    }

    public OnceSettings withIfExpired(IfExpired ifExpired) {
        return new OnceSettings(
                retention, failedRetention, tombstone, ifExpired, lease, longestRun, retryHint, responseLimit, quota);
    }

    public OnceSettings withLease(Duration lease) {
        return new OnceSettings(
                retention, failedRetention, tombstone, ifExpired, lease, longestRun, retryHint, responseLimit, quota);
    }

    public OnceSettings withLongestRun(Duration longestRun) {
        return new OnceSettings(
                retention, failedRetention, tombstone, ifExpired, lease, longestRun, retryHint, responseLimit, quota);
    }

    public OnceSettings withRetryHint(Duration retryHint) {
        return new OnceSettings(
                retention, failedRetention, tombstone, ifExpired, lease, longestRun, retryHint, responseLimit, quota);
    }

    public OnceSettings withResponseLimit(int responseLimit) {
        return new OnceSettings(
                retention, failedRetention, tombstone, ifExpired, lease, longestRun, retryHint, responseLimit, quota);
    }

    public OnceSettings withQuota(Quota quota) {
        return new OnceSettings(
                retention, failedRetention, tombstone, ifExpired, lease, longestRun, retryHint, responseLimit, quota);
    }
}
