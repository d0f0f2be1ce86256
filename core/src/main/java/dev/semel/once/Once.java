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
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs an operation once per idempotency key. A retry with the same key gets the recorded response.
 *
 * <p>There are three modes:
 *
 * <ul>
 *   <li>{@linkplain #atomic Atomic}: the effects are documents in the same store. Effects, key and response are one commit.
 *   <li>{@linkplain #leased Leased}: the effects are elsewhere. The operation is claimed in one commit and completed in another, and holds
 *       a lease in between.
 *   <li>{@linkplain #callerManaged Caller-managed}: the effects are in a database transaction of the caller, which records the key, too.
 * </ul>
 *
 * <p>A call returns an {@link Outcome} for everything that can happen to an operation or its key. It throws a {@link StoreException} only
 * if the store fails; then either nothing was executed, or a retry with the same key finds out what was. {@link KeyState} is the decision
 * table of the engine, and explains why an operation takes effect once.
 */
public final class Once {

    /** An operation whose effect is elsewhere: a call to another system, a file, a message. */
    @FunctionalInterface
    public interface LeasedOperation {

        /**
         * Runs the operation. It may take longer than the lease, which is renewed meanwhile.
         *
         * @param lease the right to run; its fencing token can be passed to the other system
         * @return the response, which is recorded
         * @throws UnknownOutcomeException if the effect may or may not have happened
         * @throws Exception if the operation failed and a retry may run it again
         */
        Response run(Lease lease) throws Exception;
    }

    /** A leased operation that may complete on another thread, after the method that started it has returned. */
    @FunctionalInterface
    public interface AsyncLeasedOperation {

        /**
         * Starts the operation. It may take longer than the lease, which is renewed until the returned stage is complete.
         *
         * @param lease the right to run; its fencing token can be passed to the other system
         * @return completes with the response, or with an exception that {@link LeasedOperation#run} would throw
         * @throws Exception if the operation failed
         */
        CompletionStage<Response> start(Lease lease) throws Exception;
    }

    /** An operation whose only effects are its writes in a transaction. */
    @FunctionalInterface
    public interface AtomicOperation {

        /**
         * Runs the operation. On a write conflict it is run again, in a new transaction.
         *
         * @return the response, which is recorded; a {@linkplain Response#asRefusal() refusal} discards the writes
         * @throws Exception if the operation failed: its writes are discarded, and a retry runs it again
         */
        Response run(Transaction tx) throws Exception;
    }

    /**
     * Thrown by a leased operation that does not know whether it had its effect, such as when the other system did not respond in time.
     * Under {@link IfAbandoned#FREEZE} the outcome becomes unknown, as after a crash. Under {@link IfAbandoned#RERUN} the operation
     * counts as failed.
     */
    public static final class UnknownOutcomeException extends Exception {

        private static final long serialVersionUID = 1L;

        public UnknownOutcomeException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Thrown by an operation that rejects its call without using up the key, such as for a malformed request. The operation's writes are
     * discarded. In atomic mode nothing is recorded, and the key stays as it was. In leased mode, where the key was claimed, the operation
     * counts as failed.
     */
    public static class UnrecordedException extends Exception {

        private static final long serialVersionUID = 1L;

        public UnrecordedException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Implemented by the exception of an operation that failed with a response, such as one with a 5xx status. The record keeps the status,
     * and as the cause the exception's own cause; if there is none, its message alone.
     */
    public interface FailedResponse {

        /** Returns the status of the response. */
        int status();
    }

    private static final Duration POLL = Duration.ofMillis(100);

    /** A correct store lets one of several racing calls through, so this many lost races in a row show that it is faulty. */
    private static final int MOST_LOST_RACES = 100;

    private final Engine engine;
    private final @Nullable Transactions transactions;

    /** Runs operations on a store. */
    public Once(OnceStore store, Time time, OnceSettings settings, OnceListener listener) {
        this(
                new Engine(store, new Committer(store, time), time, settings, listener),
                store instanceof DocumentStore documents ? new Transactions(documents, time) : null);
    }

    /** Runs operations on the store of some transactions, which run the atomic ones. */
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

    /** Returns an engine on a store, with the system's clock and the default settings. */
    public static Once on(OnceStore store) {
        return new Once(store, Time.system(), OnceSettings.DEFAULTS, OnceListener.NONE);
    }

    /** Returns whether another engine has the same store, so that both see the same keys. */
    public boolean sharesStoreWith(Once other) {
        return engine.store == other.engine.store;
    }

    /**
     * Runs an operation whose effects are the documents it writes in its transaction. A process that crashes before the commit leaves
     * nothing behind, and a retry runs the operation as if for the first time.
     *
     * @param payload JSON text of the request; the same key with another payload is a mismatch
     * @throws StoreException if the store fails
     * @throws dev.semel.json.MalformedJsonException if the payload is not JSON; for other payloads see {@link Call}
     */
    public Outcome atomic(IdempotencyKey key, String payload, AtomicOperation operation) {
        return atomic(Call.of(key, Fingerprint.ofJson(payload)), operation);
    }

    /**
     * Runs an operation in atomic mode.
     *
     * @throws StoreException if the store fails
     * @throws IllegalStateException if the operation calls itself with its own key, or if the store has no documents
     */
    public Outcome atomic(Call call, AtomicOperation operation) {
        return atomic(call, Transactions.DEFAULT_BACKOFF, operation);
    }

    /**
     * Runs an operation in atomic mode, with a given backoff for write conflicts. If every retry conflicts, the outcome is a failure with a
     * {@link dev.semel.document.Transactions.WriteConflictException}.
     *
     * @param backoff the pause before each retry
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
     * Runs an operation whose effects are elsewhere. It holds a lease, which is renewed while it runs. If the process crashes, the lease
     * expires, and the next call runs the operation again or freezes it.
     *
     * @param payload JSON text of the request; the same key with another payload is a mismatch
     * @param ifAbandoned whether a retry may run the operation again after its owner crashed
     * @throws StoreException if the store fails
     * @throws dev.semel.json.MalformedJsonException if the payload is not JSON; for other payloads see {@link Call}
     */
    public Outcome leased(IdempotencyKey key, String payload, IfAbandoned ifAbandoned, LeasedOperation operation) {
        return leased(Call.of(key, Fingerprint.ofJson(payload)), ifAbandoned, operation);
    }

    /**
     * Runs an operation in leased mode.
     *
     * @param ifAbandoned whether a retry may run the operation again after its owner crashed
     * @throws StoreException if the store fails
     * @throws IllegalStateException if the operation calls itself with its own key
     */
    public Outcome leased(Call call, IfAbandoned ifAbandoned, LeasedOperation operation) {
        Objects.requireNonNull(ifAbandoned, "ifAbandoned");
        Objects.requireNonNull(operation, "operation");
        AsyncLeasedOperation completed = lease -> CompletableFuture.completedFuture(operation.run(lease));
        return run(call, new LeasedRun(engine, call, ifAbandoned, completed)::step);
    }

    /**
     * Runs an operation in leased mode that may complete after this method has returned. The lease is held and renewed until then. The
     * key is looked up and claimed on the calling thread, which also waits for {@link Call#maxWait()} if the operation is in progress.
     * The outcome is recorded on the thread that completes the operation.
     *
     * @param ifAbandoned whether a retry may run the operation again after its owner crashed
     * @return completes with the outcome, after it was recorded; exceptionally with a {@link StoreException} if the store fails
     * @throws StoreException if the store fails before the operation starts
     * @throws IllegalStateException if the operation calls itself with its own key
     */
    public CompletionStage<Outcome> leasedAsync(Call call, IfAbandoned ifAbandoned, AsyncLeasedOperation operation) {
        Objects.requireNonNull(ifAbandoned, "ifAbandoned");
        Objects.requireNonNull(operation, "operation");
        return runAsync(call, new LeasedRun(engine, call, ifAbandoned, operation)::step);
    }

    /**
     * Runs an operation whose effects are in a database transaction, which records the key, too. Applications use this through a class
     * of their store, such as {@code CallerTransactions} of the PostgreSQL store. The store of this engine has to be in the same database.
     *
     * @throws StoreException if the database fails
     * @throws IllegalStateException if the operation calls itself with its own key
     * @throws CallerTransaction.EndedException if the operation has ended the transaction itself
     */
    public Outcome callerManaged(Call call, CallerTransaction.Source source) {
        return run(call, new CallerManagedRun(engine, call, source)::step);
    }

    /** Runs a call whose operation completes on this thread. */
    private Outcome run(Call call, Supplier<Step> step) {
        return runAsync(call, step).toCompletableFuture().join();
    }

    private CompletionStage<Outcome> runAsync(Call call, Supplier<Step> step) {
        long startedAt = engine.time.nanoTime();
        engine.notify(listener -> listener.called(call.key()));
        try {
            Step last = lastStep(call, step, startedAt);
            if (last instanceof Step.Pending pending) {
                return pending.outcome().whenComplete((outcome, failure) -> {
                    if (failure == null) {
                        ended(call, outcome, startedAt);
                    } else {
                        Throwable cause = LeasedRun.unwrapped(failure);
                        engine.notify(listener -> listener.aborted(call.key(), cause));
                    }
                });
            }
            Outcome outcome = ((Step.Done) last).outcome();
            ended(call, outcome, startedAt);
            return CompletableFuture.completedFuture(outcome);
        } catch (Throwable e) {
            engine.notify(listener -> listener.aborted(call.key(), e));
            throw e;
        }
    }

    private void ended(Call call, Outcome outcome, long startedAt) {
        Duration took = Duration.ofNanos(engine.time.nanoTime() - startedAt);
        engine.notify(listener -> listener.ended(call.key(), outcome, took));
    }

    private Step lastStep(Call call, Supplier<Step> step, long startedAt) {
        int lostRaces = 0;
        while (true) {
            Step next = step.get();
            if (next instanceof Step.LostRace) {
                backOff(++lostRaces);
            } else if (!(next instanceof Step.Done done)
                    || !(done.outcome() instanceof Outcome.InProgress)
                    || !hasWaited(call, startedAt, engine.inFlight.end(call))) {
                return next;
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
     * Waits for the run in progress to end, at most for {@link Call#maxWait()}.
     *
     * @param end completes when the run in this process ends; null if it runs elsewhere, where only polling is possible
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
}
