package dev.semel.document;

import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.internal.Committer;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.IdempotencyWrite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs operations in {@linkplain Transaction transactions}, under optimistic concurrency control. On a write conflict, runs the operation
 * again after a backoff. If the response of a commit is lost, sends the commit again under the same commit id. Thread-safe.
 */
public final class Transactions {

    /** The default backoff: two retries at once, then 38 with pauses that double from 50 µs up to about 25 ms. */
    public static final List<Duration> DEFAULT_BACKOFF = defaultBackoff();

    private final DocumentStore store;
    private final Committer committer;

    /** Runs operations on a store, with a new tid62 as the id of each commit. */
    public Transactions(DocumentStore store, Time time) {
        this(store, new Committer(store, time));
    }

    /**
     * Runs operations on a store.
     *
     * @param commitIds makes commit ids that are unique in the store
     */
    public Transactions(DocumentStore store, Time time, Supplier<String> commitIds) {
        this(store, new Committer(store, time, commitIds));
    }

    private Transactions(DocumentStore store, Committer committer) {
        this.store = store;
        this.committer = committer;
    }

    /** An operation that runs in a transaction. */
    @FunctionalInterface
    public interface Operation<T, E extends Exception> {

        /**
         * Runs the operation. After a write conflict it is called again with a new transaction; only the last one is committed.
         *
         * @throws E if the operation failed; its writes are discarded
         */
        T run(Transaction tx) throws E;
    }

    /**
     * What is committed after an operation has returned.
     *
     * @param discard whether to discard the operation's writes
     * @param idempotencyWrite the change to an idempotency record in the same commit; null if there is none
     */
    public record Ending(boolean discard, @Nullable IdempotencyWrite idempotencyWrite) {

        private static final Ending PLAIN = new Ending(false, null);
    }

    /**
     * The value that an operation returned, and the result of its commit.
     *
     * @param commit never {@link CommitResult.DocumentConflict}
     */
    public record Finished<T>(T value, CommitResult commit) {}

    /** Returns the store on which operations run. */
    public DocumentStore store() {
        return store;
    }

    /** Returns a new commit id. */
    public String newCommitId() {
        return committer.newCommitId();
    }

    /**
     * Runs an operation and commits its writes, with the {@linkplain #DEFAULT_BACKOFF default backoff} after write conflicts.
     *
     * @return the value that the operation returned
     * @throws E if the operation failed
     * @throws WriteConflictException if every retry conflicted; nothing was written
     * @throws StoreException if the store fails
     */
    public <T, E extends Exception> T run(Operation<T, E> operation) throws E {
        return run(operation, DEFAULT_BACKOFF);
    }

    /**
     * Runs an operation and commits its writes.
     *
     * @param backoff the pause before each retry after a write conflict
     * @return the value that the operation returned
     * @throws E if the operation failed
     * @throws WriteConflictException if every retry conflicted; nothing was written
     * @throws StoreException if the store fails
     */
    public <T, E extends Exception> T run(Operation<T, E> operation, List<Duration> backoff) throws E {
        return run(operation, value -> Ending.PLAIN, backoff).value();
    }

    /**
     * Runs an operation and commits its writes together with a change to an idempotency record.
     *
     * @param ending returns what to commit, given the value that the operation returned
     * @param backoff the pause before each retry after a write conflict
     * @throws E if the operation failed
     * @throws WriteConflictException if every retry conflicted; nothing was written
     * @throws StoreException if the store fails
     */
    public <T, E extends Exception> Finished<T> run(
            Operation<T, E> operation, Function<T, Ending> ending, List<Duration> backoff) throws E {
        Set<DocumentId> changed = new HashSet<>();
        for (int conflicts = 0; ; conflicts++) {
            Transaction tx = new Transaction(store, committer.newCommitId(), changed);
            CommitResult result;
            try {
                T value = run(operation, tx);
                Ending end = ending.apply(value);
                result = commit(tx.toCommit(end.discard(), end.idempotencyWrite()));
                if (result instanceof CommitResult.Applied && !end.discard()) {
                    tx.committed();
                }
                if (!(result instanceof CommitResult.DocumentConflict)) {
                    return new Finished<>(value, result);
                }
            } catch (OperationException e) {
                result = check(tx, e);
                if (!(result instanceof CommitResult.DocumentConflict)) {
                    throw Transactions.<RuntimeException>unchecked(e.getCause());
                }
            }
            CommitResult.DocumentConflict conflict = (CommitResult.DocumentConflict) result;
            if (conflicts == backoff.size()) {
                throw new WriteConflictException(conflict.id(), conflict.version(), conflicts + 1);
            }
            changed.addAll(tx.assumed());
            committer.pause(backoff.get(conflicts));
        }
    }

    private CommitResult commit(Commit commit) {
        return committer.send(() -> store.commit(commit), () -> false);
    }

    /** Checks the documents that an operation has read. If they have changed, it may have failed because it saw an inconsistent state. */
    private CommitResult check(Transaction tx, OperationException thrown) {
        Commit check = tx.toCommit(true, null);
        try {
            return check.preconditions().isEmpty() ? new CommitResult.Applied(null) : commit(check);
        } catch (StoreException e) {
            thrown.getCause().addSuppressed(e);
            return new CommitResult.Applied(null);
        }
    }

    private static <T, E extends Exception> T run(Operation<T, E> operation, Transaction tx) {
        try {
            return operation.run(tx);
        } catch (Throwable e) {
            throw new OperationException(e);
        } finally {
            tx.end();
            tx.throwFailure();
        }
    }

    /** Wraps an exception of the operation, to distinguish it from an exception of the store. */
    private static final class OperationException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OperationException(Throwable cause) {
            super(null, cause); // without its message, which it may fail to return
        }

        @Override
        public synchronized Throwable getCause() {
            return Objects.requireNonNull(super.getCause());
        }
    }

    /**
     * Throws what an operation threw without wrapping it. This is an E or unchecked, unless the operation has deceived the compiler, too: it
     * may even be a Throwable that is neither Exception nor Error.
     */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> T unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private static List<Duration> defaultBackoff() {
        List<Duration> backoff = new ArrayList<>(List.of(Duration.ZERO, Duration.ZERO));
        for (Duration pause = Duration.ofNanos(50_000); backoff.size() < 40; ) {
            backoff.add(pause);
            pause = pause.compareTo(Duration.ofMillis(20)) < 0 ? pause.multipliedBy(2) : pause;
        }
        return List.copyOf(backoff);
    }

    /** Thrown if other commits changed a document during each attempt of a transaction. Nothing was written. */
    public static final class WriteConflictException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient DocumentId id;
        private final long version;

        WriteConflictException(DocumentId id, long version, int attempts) {
            super("A document of " + id.collection() + " was changed by other commits during each of " + attempts
                    + " attempts");
            this.id = id;
            this.version = version;
        }

        /** Returns the id of the document. */
        public DocumentId id() {
            return id;
        }

        /** Returns the current version of the document, or 0 if it is absent. */
        public long version() {
            return version;
        }
    }
}
