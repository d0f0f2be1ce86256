package dev.semel.once;

import dev.semel.store.OnceStatus;
import dev.semel.store.Quota;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How long things last and how much is let through.
 *
 * @param retention how long the answer of a completed operation is kept
 * @param failedRetention how long it is remembered that an operation failed
 * @param tombstone how long it is remembered that there was a key, after its record is past its time; zero for not at all
 * @param ifExpired what happens to a call whose key is past its time
 * @param lease how long an owner may be silent before its operation counts as abandoned
 * @param longestRun after how long a run that has not come to an end is given up: its lease is no longer kept, and others are no
 *     longer told that it is under way
 * @param retryHint when those who are told that it is under way should ask again
 * @param responseLimit the most bytes of a response that are kept for retries
 * @param quota how many new keys a user may begin
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

    /** How long a record with a given status stands from when it was written: a lease or a retention; null without end. */
    @Nullable Duration life(OnceStatus status) {
        return switch (status) {
            case PROCESSING -> lease;
            case COMPLETED -> retention;
            case FAILED -> failedRetention;
            case UNKNOWN -> null;
        };
    }

    /** How long a record with a given status is remembered after that: an abandoned one as long as an answer is kept. */
    Duration afterlife(OnceStatus status) {
        return status == OnceStatus.PROCESSING ? retention : tombstone;
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
