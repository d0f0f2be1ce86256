package dev.semel.store;

import dev.semel.id.IdSchemes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs operations in {@linkplain Transaction transactions}: again when others were quicker, and asking again when the answer to a
 * commit was lost.
 */
public final class Transactions {

    /** Soon at first, when whoever was quicker is done at once; then ever more slowly, so that many do not meet again. */
    public static final List<Duration> QUICK_PAUSES = quickPauses();

    /** How long to wait before asking again what became of a commit. */
    private static final List<Duration> ASKING_PAUSES =
            List.of(Duration.ZERO, Duration.ofMillis(20), Duration.ofMillis(200));

    private final Store store;
    private final Time time;
    private final Supplier<String> attempts;

    public Transactions(Store store, Time time) {
        this(store, time, IdSchemes.TID62::mint);
    }

    /** @param attempts makes ids of commits, never the same twice in the store */
    public Transactions(Store store, Time time, Supplier<String> attempts) {
        this.store = store;
        this.time = time;
        this.attempts = attempts;
    }

    /** What runs in a transaction. */
    @FunctionalInterface
    public interface Operation<T, E extends Exception> {

        /** Runs, perhaps several times, each time on a new transaction of which only the last is committed. */
        T run(Transaction tx) throws E;
    }

    /**
     * How an operation ends.
     *
     * @param discard whether what it wrote is thrown away
     * @param once what is written of it, if anything
     */
    public record Ending(boolean discard, @Nullable OnceWrite once) {

        private static final Ending PLAIN = new Ending(false, null);
    }

    /**
     * What an operation returned, and what became of its commit.
     *
     * @param commit never {@link CommitResult.Stale}
     */
    public record Finished<T>(T value, CommitResult commit) {}

    /** Where everything is kept. */
    public Store store() {
        return store;
    }

    /**
     * Runs an operation and commits what it wrote.
     *
     * @throws ConflictException if others were quicker many times in a row
     * @throws StoreException if the store cannot be reached
     */
    public <T, E extends Exception> T run(Operation<T, E> operation) throws E {
        return run(operation, QUICK_PAUSES);
    }

    /**
     * Runs an operation and commits what it wrote; when others were quicker, runs it again after each of some pauses.
     *
     * @throws ConflictException if others were quicker each time
     * @throws StoreException if the store cannot be reached
     */
    public <T, E extends Exception> T run(Operation<T, E> operation, List<Duration> pauses) throws E {
        return run(operation, value -> Ending.PLAIN, pauses).value();
    }

    /**
     * Runs an operation and commits what it wrote together with a once-record; when others were quicker, runs it again after each of
     * some pauses.
     *
     * @throws ConflictException if others were quicker each time
     * @throws StoreException if the store cannot be reached
     */
    public <T, E extends Exception> Finished<T> run(
            Operation<T, E> operation, Function<T, Ending> ending, List<Duration> pauses) throws E {
        Set<DocumentId> doubtful = new HashSet<>();
        for (int conflicts = 0; ; conflicts++) {
            Transaction tx = new Transaction(store, attempts.get(), doubtful);
            CommitResult result;
            try {
                T value = run(operation, tx);
                Ending end = ending.apply(value);
                result = commit(tx.toCommit(end.discard(), end.once()));
                if (!(result instanceof CommitResult.Stale)) {
                    return new Finished<>(value, result);
                }
            } catch (OperationException e) {
                result = check(tx, e);
                if (!(result instanceof CommitResult.Stale)) {
                    Transactions.<E>throwAgain(e.getCause());
                }
            }
            CommitResult.Stale stale = (CommitResult.Stale) result;
            if (conflicts == pauses.size()) {
                throw new ConflictException(stale.id(), stale.version(), conflicts + 1);
            }
            doubtful.addAll(tx.assumedAbsent());
            pause(pauses.get(conflicts));
        }
    }

    /** Looks whether what an operation has read is still so: it may have thrown because of what never was. */
    private CommitResult check(Transaction tx, OperationException thrown) {
        Commit check = tx.toCommit(true, null);
        try {
            return check.writers().isEmpty() ? new CommitResult.Applied(null) : commit(check);
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

    /** What an operation threw, to be told apart from what the store threw. */
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
    private static <E extends Exception> void throwAgain(Throwable thrown) throws E {
        if (thrown instanceof Error error) {
            throw error;
        }
        throw (E) thrown;
    }

    /** Commits a change of a once-record alone. */
    public CommitResult commit(OnceWrite once) {
        return commit(Commit.of(attempts.get(), once));
    }

    /**
     * Commits. If the store fails in a way that leaves open what happened, asks it again.
     *
     * @throws StoreException if it fails on and on
     */
    public CommitResult commit(Commit commit) {
        return commit(commit, () -> false);
    }

    /**
     * Commits. If the store fails in a way that leaves open what happened, asks it again: some times, and then as long as it
     * matters. A thread that is interrupted goes on with that, and is interrupted still when it is done.
     *
     * @throws StoreException if it fails on and on
     */
    public CommitResult commit(Commit commit, BooleanSupplier matters) {
        boolean interrupted = false;
        try {
            for (int asked = 0; ; asked++) {
                interrupted |= Thread.interrupted(); // or else it would not wait, and some connections would break
                try {
                    return tryCommit(commit);
                } catch (StoreException e) {
                    boolean giveUp = asked >= ASKING_PAUSES.size() && !matters.getAsBoolean();
                    if (e.isCertain() || giveUp) {
                        throw e;
                    }
                }
                pause(ASKING_PAUSES.get(Math.min(asked, ASKING_PAUSES.size() - 1)));
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Whatever a store throws that is no word about the commit leaves open what happened. */
    private CommitResult tryCommit(Commit commit) {
        try {
            return store.commit(commit);
        } catch (StoreException | UnsupportedOperationException e) {
            throw e;
        } catch (RuntimeException e) {
            throw StoreException.unavailable("The store broke: " + e, e);
        }
    }

    /** An id for a commit, never the same twice. */
    public String newAttempt() {
        return attempts.get();
    }

    /** Waits; an interrupted thread goes on at once, still interrupted. */
    public void pause(Duration pause) {
        try {
            time.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<Duration> quickPauses() {
        List<Duration> pauses = new ArrayList<>(List.of(Duration.ZERO, Duration.ZERO));
        for (Duration pause = Duration.ofNanos(50_000); pauses.size() < 40; ) {
            pauses.add(pause);
            pause = pause.compareTo(Duration.ofMillis(20)) < 0 ? pause.multipliedBy(2) : pause;
        }
        return List.copyOf(pauses);
    }
}
