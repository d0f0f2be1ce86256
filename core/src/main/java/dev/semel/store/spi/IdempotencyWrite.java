package dev.semel.store.spi;

import dev.semel.store.Quota;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A change to an idempotency record. The store sets what depends on the time of the commit, with {@link #stamp}.
 *
 * @param precondition what the stored record must look like
 * @param record the new record; a fencing token of 0 requests a new one
 * @param ttl time from the commit to the record's deadline; null if the record never expires
 * @param tombstoneTtl time from the deadline until the record may be purged; at least as long as a quota may count it
 * @param quota how many new keys the user may start, if this one is new
 */
public record IdempotencyWrite(
        Precondition precondition,
        IdempotencyRecord record,
        @Nullable Duration ttl,
        Duration tombstoneTtl,
        Quota quota) {

    /** A long holds so many seconds in microseconds, and some more tokens. */
    private static final long MOST_SECONDS = Long.MAX_VALUE / 1_000_000 - 1;

    /**
     * What the stored record must look like for a write to be applied: the "compare" of compare-and-set.
     *
     * @param fencingToken the token that the record must have; 0 if there must be no record
     * @param status the status that the record must have; null if there must be no record
     * @param deadline the deadline that the record must have; null to accept any, since an owner may have renewed its lease
     */
    public record Precondition(
            long fencingToken,
            @Nullable Status status,
            @Nullable Instant deadline) {

        /** There must be no record. */
        public static final Precondition ABSENT = new Precondition(0, null, null);

        /** Returns the precondition that the record has not changed since it was found. */
        public static Precondition unchanged(@Nullable IdempotencyRecord found) {
            return found == null ? ABSENT : new Precondition(found.fencingToken(), found.status(), found.deadline());
        }

        /** Returns the precondition that the operation is in progress, and that its owner holds a given fencing token. */
        public static Precondition ownedBy(long fencingToken) {
            return new Precondition(fencingToken, Status.PROCESSING, null);
        }

        /** Whether a stored record meets this precondition. */
        public boolean isMetBy(@Nullable IdempotencyRecord current) {
            if (current == null) {
                return fencingToken == 0;
            }
            return fencingToken == current.fencingToken()
                    && status == current.status()
                    && (deadline == null || deadline.equals(current.deadline()));
        }
    }

    /** Extends a tombstone that is shorter than a quota may count its key. */
    public IdempotencyWrite {
        if (ttl != null && ttl.plus(tombstoneTtl).compareTo(Quota.LONGEST) < 0) {
            tombstoneTtl = Quota.LONGEST.minus(ttl);
        }
    }

    /** Returns this write without a quota. */
    public IdempotencyWrite withoutQuota() {
        return new IdempotencyWrite(precondition, record, ttl, tombstoneTtl, Quota.NONE);
    }

    /** Whether the write starts a key that was absent or had expired. Quotas count these. */
    public boolean isNewKey() {
        return record.fencingToken() == 0 && record.attempts() == 1;
    }

    /**
     * Returns the record to store, if the precondition holds. A start gets a new fencing token: at least one more than the token of the
     * precondition, and at least the store's clock in microseconds. So the tokens of a key rise even if its record was purged in between.
     *
     * @param now the store's time at the commit
     */
    public IdempotencyRecord stamp(String commitId, Instant now) {
        Instant deadline = ttl == null ? null : now.plus(ttl);
        return record.toBuilder()
                .commitId(commitId)
                .fencingToken(record.fencingToken() == 0 ? nextFencingToken(now) : record.fencingToken())
                .createdAt(isNewKey() ? now : record.createdAt())
                .deadline(deadline)
                .purgeAt(deadline == null ? null : deadline.plus(tombstoneTtl))
                .build();
    }

    private long nextFencingToken(Instant now) {
        return Math.max(micros(now), precondition.fencingToken() + 1);
    }

    /** Returns the microseconds since 1970. {@code ChronoUnit.MICROS} counts nanoseconds, which a long holds until the year 2262 only. */
    private static long micros(Instant time) {
        long seconds = Math.max(-MOST_SECONDS, Math.min(time.getEpochSecond(), MOST_SECONDS));
        return TimeUnit.SECONDS.toMicros(seconds) + TimeUnit.NANOSECONDS.toMicros(time.getNano());
    }
}
