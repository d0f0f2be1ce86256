package dev.semel.store.spi;

import dev.semel.store.IdempotencyKey;
import dev.semel.store.StoreException;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * A store of idempotency records: the smallest complete store. Leased operations run on it; what else a store can do is an
 * interface on top, such as {@link DocumentStore}.
 *
 * <p>Every store keeps these promises:
 *
 * <ul>
 *   <li>writes to one key are linearizable: a write is applied only if its {@link Precondition} holds at that moment;
 *   <li>an acknowledged write survives whatever the store promises to survive;
 *   <li>a write with a commit id that was applied before is not applied again but returns the same result, so a caller resolves
 *       a lost response by sending the write again;
 *   <li>an expired record is still returned; the caller decides what that means;
 *   <li>times come from the store's {@link #clock()}, never from the caller, so that callers whose clocks disagree agree on
 *       whose lease has expired;
 *   <li>the fencing tokens of a key {@linkplain IdempotencyWrite#stamp rise} with every start. They are not comparable across keys;
 *   <li>any number of threads may call at the same time.
 * </ul>
 *
 * <p>A store that cannot be reached throws {@link StoreException}.
 */
public interface OnceStore extends AutoCloseable {

    /**
     * What a store knows about a key at one moment.
     *
     * @param record the stored record, even if it has expired; null if there is none
     * @param now the store's time
     * @param quotaWait how long the user has to wait before starting a new key; zero if they need not
     */
    record Lookup(@Nullable IdempotencyRecord record, Instant now, Duration quotaWait) {

        /** A lookup in a store that has no quotas. */
        public Lookup(@Nullable IdempotencyRecord record, Instant now) {
            this(record, now, Duration.ZERO);
        }
    }

    /** The time by which leases and records expire. A shared store's clock may be an estimate of the database's. */
    InstantSource clock();

    /** Looks up the record of a key. */
    Lookup find(IdempotencyKey key);

    /**
     * Writes a record if its precondition holds.
     *
     * @param commitId unique to this write; sending the same write again returns the same result
     * @return {@link CommitResult.Applied} with the record as it is stored now, or {@link CommitResult.RecordConflict}
     */
    CommitResult compareAndSet(String commitId, IdempotencyWrite write);

    /** Releases resources. Acknowledged writes stay, if the store is durable. */
    @Override
    void close();
}
