package dev.semel.once;

import dev.semel.store.Quota;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Durations and limits of the engine. Engines that share a store should have the same settings.
 *
 * @param retention how long the response of a completed operation is kept; after that the key is new
 * @param failedRetention how long the record of a failed operation is kept
 * @param tombstone how long a tombstone is kept after a record has expired; zero to keep none
 * @param ifExpired what happens to a call with an expired key
 * @param lease how long an owner may miss heartbeats before its operation counts as abandoned
 * @param longestRun how long a run may take. After that its lease is no longer renewed, and duplicates may take over
 * @param retryHint when to retry a call that found the operation in progress
 * @param responseLimit the most bytes of a response that are kept for retries
 * @param quota how many new keys a user may start; {@link Quota#NONE} for no limit
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

    /** How the engine treats a key that was used before and has expired. */
    public enum IfExpired {

        /** The key counts as new, and the operation runs again. */
        RUN_AGAIN,

        /** The call is rejected with {@link Outcome.Expired}, as long as a tombstone shows that the key was used. */
        REJECT,
    }

    private static final Duration LONGEST = Duration.ofDays(36_525);

    /**
     * The defaults: a retention of 24 hours, of 7 days after a failure, tombstones for 30 days, expired keys run again, a lease of 30
     * seconds, runs of up to 1 hour, retries after 1 second, responses of up to 1 MiB, and no quota.
     */
    public static final OnceSettings DEFAULTS = new OnceSettings(
            Duration.ofHours(24),
            Duration.ofDays(7),
            Duration.ofDays(30),
            IfExpired.RUN_AGAIN,
            Duration.ofSeconds(30),
            Duration.ofHours(1),
            Duration.ofSeconds(1),
            1 << 20,
            Quota.NONE);

    /**
     * Checks the settings.
     *
     * @throws IllegalArgumentException naming the setting that is not positive, or longer than a hundred years
     */
    public OnceSettings {
        requirePositive("retention", retention);
        requirePositive("failedRetention", failedRetention);
        requirePositive("lease", lease);
        Objects.requireNonNull(ifExpired, "ifExpired");
        if (tombstone.isNegative() || tombstone.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("tombstone must be between zero and a hundred years, not " + tombstone);
        }
        requirePositive("longestRun", longestRun);
        requirePositive("retryHint", retryHint);
        Objects.requireNonNull(quota, "quota");
        if (responseLimit < 0) {
            throw new IllegalArgumentException("responseLimit must not be negative, but is " + responseLimit);
        }
    }

    private static void requirePositive(String name, Duration duration) {
        if (duration.isZero() || duration.isNegative() || duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be positive and at most a hundred years, not " + duration);
        }
    }

    /** Returns the time from a write to the deadline of a record: a lease or a retention; null if the record never expires. */
    @Nullable Duration ttl(Status status) {
        return switch (status) {
            case PROCESSING -> lease;
            case COMPLETED -> retention;
            case FAILED -> failedRetention;
            case UNKNOWN -> null;
        };
    }

    /** Returns the time from the deadline of a record until it may be purged. */
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
