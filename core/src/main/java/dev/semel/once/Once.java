package dev.semel.once;

import dev.semel.document.Transaction;
import dev.semel.document.Transactions;
import dev.semel.json.Fingerprint;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.internal.Committer;
import dev.semel.store.spi.CallerTransaction;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.OnceStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs an operation once per key: a retry with the same key gets the recorded response.
 *
 * <p>The effects of an {@linkplain #atomic atomic} operation are documents of the same store; effects, key and response are one
 * commit. The effects of a {@linkplain #leased leased} one are elsewhere; it is claimed in one commit and completed in another. The
 * effects of a {@linkplain #callerManaged caller-managed} one are in a database transaction of the caller's own.
 *
 * <p>A call looks up its key, takes the action that the table {@link KeyState} gives for the key's state, and looks again if it lost a
 * race. Whatever happens to an operation or its key is an {@link Outcome}. Only a failing store throws, a {@link StoreException}: then
 * nothing was executed, or a retry finds out what was.
 */
public final class Once {

    /** An operation whose effect is elsewhere: a call to another system, a file, a message. */
    @FunctionalInterface
    public interface LeasedOperation {

        /**
         * Runs, as long as it needs.
         *
         * @param lease proof that this run is the one; its fencing token may be handed to the other system
         * @return what is answered
         * @throws UnknownOutcomeException if it cannot tell whether it worked
         * @throws Exception if it did not work, and a retry may run it again
         */
        Response run(Lease lease) throws Exception;
    }

    /** An operation whose whole effect is what it writes in a transaction. */
    @FunctionalInterface
    public interface AtomicOperation {

        /**
         * Runs; again, on a new transaction, if others changed what it has read before it was committed.
         *
         * @return what is answered; a {@linkplain Response#asRefusal() refusal} throws away what was written
         * @throws Exception if it did not work: what was written is thrown away, and a retry runs it again
         */
        Response run(Transaction tx) throws Exception;
    }

    private static final Duration POLL = Duration.ofMillis(100);

    /** A sound store lets one of the racing calls through, so this many lost races mean that it is not. */
    private static final int MOST_LOST_RACES = 100;

    private final Engine engine;
    private final @Nullable Transactions transactions;

    public Once(OnceStore store, Time time, OnceSettings settings, OnceListener listener) {
        this(
                new Engine(store, new Committer(store, time), time, settings, listener),
                store instanceof DocumentStore documents ? new Transactions(documents, time) : null);
    }

    /** Runs atomic operations in given transactions. */
    public Once(Transactions transactions, Time time, OnceSettings settings, OnceListener listener) {
        this(
                new Engine(
                        transactions.store(),
                        new Committer(transactions.store(), time, transactions::newCommitId),
                        time,
                        settings,
                        listener),
                transactions);
    }

    private Once(Engine engine, @Nullable Transactions transactions) {
        this.engine = engine;
        this.transactions = transactions;
    }

    /** On a store, with default settings. */
    public static Once on(OnceStore store) {
        return new Once(store, Time.system(), OnceSettings.DEFAULTS, OnceListener.NONE);
    }

    /**
     * Runs an operation whose effects are the documents it writes in its transaction. If the process crashes nothing is left of it,
     * and a retry runs it as if for the first time.
     *
     * @param payload JSON text of the request: the same key with another payload is a mismatch
     * @throws StoreException if the store fails
     * @throws dev.semel.json.MalformedJsonException if the payload is not JSON; for other payloads see {@link Call}
     */
    public Outcome atomic(IdempotencyKey key, String payload, AtomicOperation operation) {
        return atomic(Call.of(key, Fingerprint.ofJson(payload)), operation);
    }

    /**
     * Runs an operation whose effects are the documents it writes in its transaction.
     *
     * @throws StoreException if the store fails
     * @throws IllegalStateException if called by the operation itself, or if the store has no documents
     */
    public Outcome atomic(Call call, AtomicOperation operation) {
        return atomic(call, Transactions.DEFAULT_BACKOFF, operation);
    }

    /**
     * The same with another backoff for write conflicts. If every retry conflicts, the operation fails with a
     * {@link dev.semel.document.Transactions.WriteConflictException}.
     */
    public Outcome atomic(Call call, List<Duration> backoff, AtomicOperation operation) {
        Objects.requireNonNull(backoff, "backoff");
        Objects.requireNonNull(operation, "operation");
        if (transactions == null) {
            throw new IllegalStateException("The store has no documents: run the operation as leased");
        }
        return run(call, new AtomicRun(engine, call, transactions, backoff, operation)::step);
    }

    /**
     * Runs an operation whose effects are elsewhere. While it runs it holds a lease, which is renewed; if the process crashes the lease
     * expires, and the next call does what {@code ifAbandoned} says.
     *
     * @param payload JSON text of the request: the same key with another payload is a mismatch
     * @param ifAbandoned whether a retry may run it again after its owner crashed
     * @throws StoreException if the store fails
     * @throws dev.semel.json.MalformedJsonException if the payload is not JSON; for other payloads see {@link Call}
     */
    public Outcome leased(IdempotencyKey key, String payload, IfAbandoned ifAbandoned, LeasedOperation operation) {
        return leased(Call.of(key, Fingerprint.ofJson(payload)), ifAbandoned, operation);
    }

    /**
     * Runs an operation whose effects are elsewhere.
     *
     * @param ifAbandoned whether a retry may run it again after its owner crashed
     * @throws StoreException if the store fails
     * @throws IllegalStateException if called by the operation itself
     */
    public Outcome leased(Call call, IfAbandoned ifAbandoned, LeasedOperation operation) {
        Objects.requireNonNull(ifAbandoned, "ifAbandoned");
        Objects.requireNonNull(operation, "operation");
        return run(call, new LeasedRun(engine, call, ifAbandoned, operation)::step);
    }

    /**
     * Runs an operation whose effects are in a database transaction, in which its key is recorded, too. Stores that have such
     * transactions offer this in their own terms; the store of this engine has to be in the same database.
     *
     * @throws StoreException if the database fails
     * @throws IllegalStateException if called by the operation itself
     * @throws CallerTransaction.EndedException if the operation has ended the transaction itself
     */
    public Outcome callerManaged(Call call, CallerTransaction.Source source) {
        return run(call, new CallerManagedRun(engine, call, source)::step);
    }

    private Outcome run(Call call, Supplier<Step> step) {
        long startedAt = engine.time.nanoTime();
        engine.notify(listener -> listener.called(call.key()));
        try {
            Outcome outcome = outcome(call, step, startedAt);
            engine.notify(listener ->
                    listener.ended(call.key(), outcome, Duration.ofNanos(engine.time.nanoTime() - startedAt)));
            return outcome;
        } catch (Throwable e) {
            engine.notify(listener -> listener.aborted(call.key(), e));
            throw e;
        }
    }

    private Outcome outcome(Call call, Supplier<Step> step, long startedAt) {
        int lostRaces = 0;
        while (true) {
            if (!(step.get() instanceof Step.Done done)) {
                backOff(++lostRaces);
            } else if (!(done.outcome() instanceof Outcome.InProgress)
                    || !hasWaited(call, startedAt, engine.inFlight.end(call))) {
                return done.outcome();
            }
        }
    }

    private void backOff(int lostRaces) {
        if (lostRaces > MOST_LOST_RACES) {
            throw StoreException.unavailable("The store rejects writes that match what it returned", null);
        }
        if (lostRaces > 3) {
            engine.committer.pause(Duration.ofMillis(lostRaces));
        }
    }

    /**
     * Waits for the run in progress to end, as long as the call is willing to.
     *
     * @param end when a run in this process ends; null if it runs elsewhere, where only polling is possible
     * @return whether to look up the key again
     */
    private boolean hasWaited(Call call, long startedAt, @Nullable CompletableFuture<Void> end) {
        Duration left = call.maxWait().minusNanos(engine.time.nanoTime() - startedAt);
        if (left.isZero() || left.isNegative()) {
            return false;
        }
        try {
            if (end != null) {
                engine.time.await(end, left);
            } else {
                engine.time.sleep(left.compareTo(POLL) < 0 ? left : POLL);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Thrown by a leased operation that cannot tell whether it worked: the other system did not answer in time. Under
     * {@link dev.semel.store.IfAbandoned#FREEZE} the outcome becomes unknown, as if the owner had vanished; under
     * {@link dev.semel.store.IfAbandoned#RERUN} it counts as failed.
     */
    public static final class UnknownOutcomeException extends Exception {

        private static final long serialVersionUID = 1L;

        public UnknownOutcomeException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Thrown by an operation that holds nothing against its key: it could not be understood, or things stand against it at the moment.
     * Nothing that it wrote stays. Of an atomic operation nothing is recorded, so the key is as it was before; a leased one, which was
     * claimed, counts as failed.
     */
    public static class UnrecordedException extends Exception {

        private static final long serialVersionUID = 1L;

        public UnrecordedException(String message) {
            super(message, null, false, false);
        }
    }
}
