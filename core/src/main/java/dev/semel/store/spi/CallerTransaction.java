package dev.semel.store.spi;

import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.OnceStore.Lookup;
import org.jspecify.annotations.Nullable;

/**
 * A database transaction that holds both the effects of an operation and the record of its key: what a database has to provide for
 * {@code Once.callerManaged}. Used by one thread, for one lookup of a key.
 */
public interface CallerTransaction extends AutoCloseable {

    /** Begins transactions. */
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
     * @param found the record of the key
     * @param isExclusive whether no other transaction is about to write the key; then none will until this one ends
     * @param isLookedUp whether the record was looked up; if not, the key is assumed to be new, and the unique index decides when it is
     *     recorded
     */
    record Claim(Lookup found, boolean isExclusive, boolean isLookedUp) {}

    /**
     * Thrown when an operation has committed or rolled back the transaction that it was given. Its effects may be there without its
     * key, so the outcome is recorded as unknown: the operation is not run again before an operator has looked.
     */
    final class EndedException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        public EndedException(@Nullable Throwable cause) {
            super("An operation has ended the transaction that it was given", cause);
        }
    }

    /** Whether it is committed here, and not by the caller: only then can a failure be recorded after it. */
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
     * Records how the operation ended, without its effects if it refused; and commits, if that is to be done here.
     *
     * @return {@link CommitResult.Applied}; or {@link CommitResult.RecordConflict} if the key has changed or the quota is exceeded, and
     *     nothing stays
     * @throws StoreException if it is unknown whether it was committed
     * @throws EndedException if the operation has ended the transaction itself
     * @throws Exception if the database rejects the operation's effects: nothing stays
     */
    CommitResult complete(String commitId, IdempotencyWrite write) throws Exception;

    /** Rolls back what was not completed, and returns the connection as it was. */
    @Override
    void close();
}
