package dev.semel.store.spi;

import dev.semel.store.Quota;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A change to an idempotency record. The store fills in what depends on the moment of the commit, with {@link #stamp}.
 *
 * @param precondition what the stored record must look like
 * @param record what it becomes; a fencing token of 0 asks for a new one
 * @param ttl time from the commit to the record's deadline; null if it has none
 * @param tombstoneTtl time from the deadline until the record may be purged; at least as long as a quota may count it
 * @param quota how many new keys the user may start, if this one is new
 */
public record IdempotencyWrite(
        Precondition precondition,
        IdempotencyRecord record,
        @Nullable Duration ttl,
        Duration tombstoneTtl,
        Quota quota) {

    /**
     * What an idempotency record must look like for a write to be applied: the compare of compare-and-set.
     *
     * @param fencingToken the token it must have, or 0 if there must be no record
     * @param status the status it must have, or null if there must be no record
     * @param deadline the deadline it must have, or null if any will do: an owner may have renewed its lease
     */
    public record Precondition(
            long fencingToken,
            @Nullable Status status,
            @Nullable Instant deadline) {

        /** There is no record. */
        public static final Precondition ABSENT = new Precondition(0, null, null);

        /** The record is as it was found: nobody has changed it since. */
        public static Precondition unchanged(@Nullable IdempotencyRecord found) {
            return found == null ? ABSENT : new Precondition(found.fencingToken(), found.status(), found.deadline());
        }

        /** The operation is in progress, and its owner holds a given fencing token. */
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

    public IdempotencyWrite {
        if (ttl != null && ttl.plus(tombstoneTtl).compareTo(Quota.LONGEST) < 0) {
            tombstoneTtl = Quota.LONGEST.minus(ttl);
        }
    }

    /** The same change, applied however many keys the user has started. */
    public IdempotencyWrite withoutQuota() {
        return new IdempotencyWrite(precondition, record, ttl, tombstoneTtl, Quota.NONE);
    }

    /** Whether it starts a key that was absent or had expired: what a quota counts. */
    public boolean isNewKey() {
        return record.fencingToken() == 0 && record.attempts() == 1;
    }

    /**
     * The record to store, once the precondition holds. A start gets a new fencing token: one more than that of the precondition, and
     * at least the store's clock in microseconds, so that tokens of a key rise even if its record was purged in between.
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
        return Math.max(ChronoUnit.MICROS.between(Instant.EPOCH, now), precondition.fencingToken() + 1);
    }
}
