package dev.semel.store.spi;

import dev.semel.store.IdempotencyKey;
import dev.semel.store.StoreException;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * A store of idempotency records: the smallest complete store. Leased operations run on it. Further capabilities of a store are separate
 * interfaces, such as {@link DocumentStore}.
 *
 * <p>Every store guarantees:
 *
 * <ul>
 *   <li>Writes to one key are linearizable. A write is applied only if its {@link Precondition} holds at that moment.
 *   <li>An acknowledged write survives the failures that the store promises to survive.
 *   <li>A write whose commit id was applied before is not applied again, but returns the same result. So a caller resolves a lost response
 *       by sending the write again.
 *   <li>A lookup returns expired records, too; the caller decides what that means.
 *   <li>Times come from the store's {@link #clock()}, never from the caller. So callers whose clocks differ agree on which leases have
 *       expired.
 *   <li>The fencing tokens of a key {@linkplain IdempotencyWrite#stamp rise} with every start. Tokens of different keys are not comparable.
 *   <li>All methods may be called by any number of threads at once.
 * </ul>
 *
 * <p>A store that cannot be reached throws a {@link StoreException}.
 */
public interface OnceStore extends AutoCloseable {

    /**
     * The result of looking up a key.
     *
     * @param record the stored record, even if it has expired; null if there is none
     * @param now the store's time at the lookup
     * @param quotaWait how long the user has to wait before starting a new key; zero if the quota allows one now
     */
    record Lookup(@Nullable IdempotencyRecord record, Instant now, Duration quotaWait) {

        /** Makes a lookup of a store that has no quotas. */
        public Lookup(@Nullable IdempotencyRecord record, Instant now) {
            this(record, now, Duration.ZERO);
        }
    }

    /** Returns the clock by which leases and records expire. That of a shared store may be an estimate of the database's clock. */
    InstantSource clock();

    /** Looks up the idempotency record of a key. */
    Lookup find(IdempotencyKey key);

    /**
     * Writes an idempotency record if its precondition holds.
     *
     * @param commitId unique to this write; sending the write again returns the same result
     * @return {@link CommitResult.Applied} with the record as it is stored now, or {@link CommitResult.RecordConflict}
     */
    CommitResult compareAndSet(String commitId, IdempotencyWrite write);

    /** Releases resources. Acknowledged writes of a durable store stay. */
    @Override
    void close();
}
