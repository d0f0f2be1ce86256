package dev.semel.store.spi;

import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.OnceStore.Lookup;
import org.jspecify.annotations.Nullable;

/**
 * A database transaction that holds both the effects of an operation and the record of its key. A store with a database implements it for
 * {@code Once.callerManaged}. An instance serves one lookup of a key, on one thread.
 */
public interface CallerTransaction extends AutoCloseable {

    /** Begins the transactions of a call. */
    @FunctionalInterface
    interface Source {

        /**
         * Begins a transaction.
         *
         * @param first whether this is the first lookup of the call
         * @throws StoreException if there is no connection
         */
        CallerTransaction begin(boolean first);
    }

    /**
     * The result of claiming a key.
     *
     * @param found the lookup of the key
     * @param isExclusive whether this transaction holds the lock of the key; then no other writes the key until it ends
     * @param isLookedUp whether the record was looked up. If not, the key is assumed to be new, and the unique index decides when it is
     *     recorded
     */
    record Claim(Lookup found, boolean isExclusive, boolean isLookedUp) {}

    /**
     * Thrown if an operation has committed or rolled back the transaction that it was given. Its effects may have been committed without
     * its key, so the outcome is recorded as unknown until an operator resolves it.
     */
    final class EndedException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        public EndedException(@Nullable Throwable cause) {
            super("An operation has ended the transaction that it was given", cause);
        }
    }

    /** Whether {@link #complete} commits the transaction, and not the caller. Only then can a failure be recorded after it. */
    boolean isCommittedHere();

    /**
     * Tries to lock a key, and then looks it up.
     *
     * @throws StoreException if the database fails
     */
    Claim claim(IdempotencyKey key, Quota quota);

    /**
     * Runs the operation.
     *
     * @throws EndedException if the operation has ended the transaction itself
     * @throws Exception what the operation throws
     */
    Response run() throws Exception;

    /**
     * Records how the operation ended, without its effects if it refused. Commits if {@link #isCommittedHere}.
     *
     * @return {@link CommitResult.Applied}; or {@link CommitResult.RecordConflict} if the key has changed or the quota is exceeded, and
     *     everything was rolled back
     * @throws StoreException if it is unknown whether the transaction was committed
     * @throws EndedException if the operation has ended the transaction itself
     * @throws Exception if the database rejects the operation's effects, and everything was rolled back
     */
    CommitResult complete(String commitId, IdempotencyWrite write) throws Exception;

    /** Rolls back the transaction unless it was completed, and returns the connection in the state it was taken in. */
    @Override
    void close();
}
