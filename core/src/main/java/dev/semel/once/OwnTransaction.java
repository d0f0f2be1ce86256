package dev.semel.once;

import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.OnceKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Sighting;
import dev.semel.store.StoreException;

/**
 * A transaction of a database in which an operation has its effect and its key is recorded: what a database has to do for
 * {@link Once#own}. It is used for one look at a key, by one thread.
 */
public interface OwnTransaction extends AutoCloseable {

    /** Begins transactions. */
    @FunctionalInterface
    interface Source {

        /**
         * Begins a transaction.
         *
         * @param first whether nobody has looked at the key yet in this call
         * @throws StoreException if there is none to be had
         */
        OwnTransaction begin(boolean first);
    }

    /**
     * How a key stands for a transaction.
     *
     * @param seen what is known of it
     * @param isFree whether nobody else is about to write it; then nobody else will be until this transaction ends
     * @param isCertain whether that was looked up; if not, it is only hoped that the key is new, and seen when it is recorded
     */
    record Claim(Sighting seen, boolean isFree, boolean isCertain) {}

    /** Whether it is committed here, and not by whoever began it: only then can a failure be recorded after it. */
    boolean isCommittedHere();

    /**
     * Tries to become the only one who may write a key, and then looks it up.
     *
     * @throws StoreException if the database fails
     */
    Claim claim(OnceKey key, Quota quota);

    /**
     * Runs the operation.
     *
     * @throws TransactionEndedException if the operation has ended the transaction itself
     * @throws Exception what the operation throws
     */
    Response run() throws Exception;

    /**
     * Records how the operation ended, without what it wrote if it refused; and commits, if that is to be done here.
     *
     * @param commit the record alone
     * @return {@link CommitResult.Applied}; or {@link CommitResult.OnceChanged} if the key stands otherwise or the user has begun too
     *     many, and nothing stays
     * @throws StoreException if it is open whether it was committed
     * @throws TransactionEndedException if the operation has ended the transaction itself
     * @throws Exception if the database would not commit what the operation wrote: nothing stays
     */
    CommitResult complete(Commit commit) throws Exception;

    /** Rolls back what was not completed, and lets go of the connection as it was. */
    @Override
    void close();
}
