package dev.semel.store;

import dev.semel.id.IdSchemes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs operations in {@linkplain Transaction transactions}: again when others were quicker, and asking again when the answer to a
 * commit was lost.
 */
public final class Transactions {

    /** Soon at first, when whoever was quicker is done at once; then ever more slowly, so that many do not meet again. */
    private static final List<Duration> QUICK_PAUSES = quickPauses();

    /** How long to wait before asking again what became of a commit. */
    private static final List<Duration> ASKING_PAUSES =
            List.of(Duration.ZERO, Duration.ofMillis(20), Duration.ofMillis(200));

    private final Store store;
    private final Time time;

    public Transactions(Store store, Time time) {
        this.store = store;
        this.time = time;
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
     * Runs an operation and commits what it wrote together with a once-record.
     *
     * @throws ConflictException if others were quicker many times in a row
     * @throws StoreException if the store cannot be reached
     */
    public <T, E extends Exception> Finished<T> run(Operation<T, E> operation, Function<T, Ending> ending) throws E {
        return run(operation, ending, QUICK_PAUSES);
    }

    private <T, E extends Exception> Finished<T> run(
            Operation<T, E> operation, Function<T, Ending> ending, List<Duration> pauses) throws E {
        Set<DocumentId> doubtful = Set.of();
        for (int conflicts = 0; ; conflicts++) {
            Transaction tx = new Transaction(store, doubtful);
            T value = run(operation, tx);
            Ending end = ending.apply(value);
            CommitResult result = commit(tx.toCommit(newAttempt(), end.discard(), end.once()));
            if (!(result instanceof CommitResult.Stale stale)) {
                return new Finished<>(value, result);
            }
            if (conflicts == pauses.size()) {
                throw new ConflictException(stale.id(), stale.version(), conflicts + 1);
            }
            doubtful = new HashSet<>(doubtful);
            doubtful.add(stale.id());
            pause(pauses.get(conflicts));
        }
    }

    private static <T, E extends Exception> T run(Operation<T, E> operation, Transaction tx) throws E {
        try {
            return operation.run(tx);
        } finally {
            tx.end();
            if (tx.failure() != null) {
                throwUp(tx.failure());
            }
        }
    }

    /** Out of a finally block, where a plain throw would be taken for a slip. */
    private static void throwUp(StoreException failure) {
        throw failure;
    }

    /** An id for a commit that nobody else will use. */
    public static String newAttempt() {
        return IdSchemes.TID62.mint();
    }

    /**
     * Commits. If the store fails in a way that leaves open what happened, asks it again.
     *
     * @throws StoreException if it fails on and on
     */
    public CommitResult commit(Commit commit) {
        for (Duration pause : ASKING_PAUSES) {
            try {
                return store.commit(commit);
            } catch (StoreException e) {
                if (e.isCertain()) {
                    throw e;
                }
                pause(pause);
            }
        }
        return store.commit(commit);
    }

    /** Waits; an interrupted thread goes on at once, still interrupted. */
    private void pause(Duration pause) {
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
