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
 * Runs operations in {@linkplain Transaction transactions}, under optimistic concurrency control: retries with backoff on a write
 * conflict, and sends a commit again when its response was lost.
 */
public final class Transactions {

    /** Two retries at once, then ever longer pauses, so that many writers of one document do not collide again and again. */
    public static final List<Duration> DEFAULT_BACKOFF = defaultBackoff();

    private final DocumentStore store;
    private final Committer committer;

    public Transactions(DocumentStore store, Time time) {
        this(store, new Committer(store, time));
    }

    /** @param commitIds makes commit ids, unique in the store */
    public Transactions(DocumentStore store, Time time, Supplier<String> commitIds) {
        this(store, new Committer(store, time, commitIds));
    }

    private Transactions(DocumentStore store, Committer committer) {
        this.store = store;
        this.committer = committer;
    }

    /** What runs in a transaction. */
    @FunctionalInterface
    public interface Operation<T, E extends Exception> {

        /** Runs, possibly several times, each time in a new transaction, of which only the last is committed. */
        T run(Transaction tx) throws E;
    }

    /**
     * What is committed when an operation returns.
     *
     * @param discard whether the operation's writes are discarded
     * @param idempotencyWrite the change to an idempotency record in the same commit, if there is one
     */
    public record Ending(boolean discard, @Nullable IdempotencyWrite idempotencyWrite) {

        private static final Ending PLAIN = new Ending(false, null);
    }

    /**
     * What an operation returned, and the result of its commit.
     *
     * @param commit never {@link CommitResult.DocumentConflict}
     */
    public record Finished<T>(T value, CommitResult commit) {}

    /** The store. */
    public DocumentStore store() {
        return store;
    }

    /** A new commit id. */
    public String newCommitId() {
        return committer.newCommitId();
    }

    /**
     * Runs an operation and commits its writes.
     *
     * @throws WriteConflictException if it conflicted with other writers many times in a row
     * @throws StoreException if the store cannot be reached
     */
    public <T, E extends Exception> T run(Operation<T, E> operation) throws E {
        return run(operation, DEFAULT_BACKOFF);
    }

    /**
     * Runs an operation and commits its writes; on a write conflict, retries after each of some pauses.
     *
     * @throws WriteConflictException if every retry conflicted
     * @throws StoreException if the store cannot be reached
     */
    public <T, E extends Exception> T run(Operation<T, E> operation, List<Duration> backoff) throws E {
        return run(operation, value -> Ending.PLAIN, backoff).value();
    }

    /**
     * Runs an operation and commits its writes together with an idempotency record; on a write conflict, retries after each of some
     * pauses.
     *
     * @throws WriteConflictException if every retry conflicted
     * @throws StoreException if the store cannot be reached
     */
    public <T, E extends Exception> Finished<T> run(
            Operation<T, E> operation, Function<T, Ending> ending, List<Duration> backoff) throws E {
        Set<DocumentId> notAbsent = new HashSet<>();
        for (int conflicts = 0; ; conflicts++) {
            Transaction tx = new Transaction(store, committer.newCommitId(), notAbsent);
            CommitResult result;
            try {
                T value = run(operation, tx);
                Ending end = ending.apply(value);
                result = commit(tx.toCommit(end.discard(), end.idempotencyWrite()));
                if (!(result instanceof CommitResult.DocumentConflict)) {
                    return new Finished<>(value, result);
                }
            } catch (OperationException e) {
                result = check(tx, e);
                if (!(result instanceof CommitResult.DocumentConflict)) {
                    Transactions.<E>rethrow(e.getCause());
                }
            }
            CommitResult.DocumentConflict conflict = (CommitResult.DocumentConflict) result;
            if (conflicts == backoff.size()) {
                throw new WriteConflictException(conflict.id(), conflict.version(), conflicts + 1);
            }
            notAbsent.addAll(tx.assumedAbsent());
            committer.pause(backoff.get(conflicts));
        }
    }

    private CommitResult commit(Commit commit) {
        return committer.send(() -> store.commit(commit), () -> false);
    }

    /** Checks what an operation has read: if that has changed, it may have thrown because of a state that never was. */
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

    /** Wraps what an operation threw, to distinguish it from what the store threw. */
    private static final class OperationException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OperationException(Throwable cause) {
            super(cause);
        }

        @Override
        public synchronized Throwable getCause() {
            return Objects.requireNonNull(super.getCause());
        }
    }

    /** Throws what an operation threw, which is E or unchecked. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> void rethrow(Throwable thrown) throws E {
        if (thrown instanceof Error error) {
            throw error;
        }
        throw (E) thrown;
    }

    private static List<Duration> defaultBackoff() {
        List<Duration> backoff = new ArrayList<>(List.of(Duration.ZERO, Duration.ZERO));
        for (Duration pause = Duration.ofNanos(50_000); backoff.size() < 40; ) {
            backoff.add(pause);
            pause = pause.compareTo(Duration.ofMillis(20)) < 0 ? pause.multipliedBy(2) : pause;
        }
        return List.copyOf(backoff);
    }

    /** Others kept changing a document that a transaction was about to write. Nothing was written. */
    public static final class WriteConflictException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient DocumentId id;
        private final long version;

        WriteConflictException(DocumentId id, long version, int attempts) {
            super("A document of " + id.collection() + " was changed by others " + attempts + " times in a row");
            this.id = id;
            this.version = version;
        }

        /** The document. */
        public DocumentId id() {
            return id;
        }

        /** The version it has now, or 0 if it is not there. */
        public long version() {
            return version;
        }
    }
}
