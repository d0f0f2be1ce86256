package dev.semel.once;

import dev.semel.store.Capability;
import dev.semel.store.CommitResult;
import dev.semel.store.Expected;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Sighting;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ending;
import dev.semel.store.Transactions.Finished;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs an operation once per key: whoever asks again with the same key is answered from the record.
 *
 * <p>An {@linkplain #atomic atomic} operation writes documents of the same store; its effect, its key and its answer are one
 * commit. A {@linkplain #leased leased} one has its effect elsewhere; it is claimed in one commit and completed in another.
 *
 * <p>What a call meets and what it does about it is a table: {@link Standing}. A call looks up how its key stands, does what
 * the table says, and looks again if somebody else was quicker.
 *
 * <p>Whatever happens to an operation or to its key is an {@link Outcome}. Only a store that fails throws, a
 * {@link StoreException}: then nothing was executed, or a retry finds out what was.
 */
public final class Once {

    private static final Duration POLL = Duration.ofMillis(100);

    private final Store store;
    private final Time time;
    private final OnceSettings settings;
    private final OnceListener listener;
    private final Transactions transactions;
    private final Flights flights;

    public Once(Store store, Time time, OnceSettings settings, OnceListener listener) {
        this.store = store;
        this.time = time;
        this.settings = settings;
        this.listener = listener;
        this.transactions = new Transactions(store, time);
        this.flights = new Flights(time, settings.longestRun());
    }

    /** On a store, with default settings. */
    public static Once on(Store store) {
        return new Once(store, Time.system(), OnceSettings.DEFAULTS, OnceListener.NONE);
    }

    /**
     * Runs an operation whose whole effect is what it writes in its transaction. If the process dies there is nothing left of it,
     * and a retry begins as if it had never been.
     *
     * @throws StoreException if the store fails
     * @throws ReentryException if called by the operation itself
     * @throws UnsupportedOperationException if the store cannot commit documents
     */
    public Outcome atomic(Call call, AtomicOperation operation) {
        if (!store.capabilities().contains(Capability.COMMIT)) {
            throw new UnsupportedOperationException("This store cannot commit documents: run the operation as leased");
        }
        return decide(call, start -> runAtomic(start, operation));
    }

    /**
     * Runs an operation whose effect is elsewhere. While it runs it holds a lease, which is kept up; if the process dies the lease
     * ends, and the next call does what was said in the beginning.
     *
     * @param ifAbandoned whether a call may run it again when its owner has vanished
     * @throws StoreException if the store fails
     * @throws ReentryException if called by the operation itself
     */
    public Outcome leased(Call call, IfAbandoned ifAbandoned, LeasedOperation operation) {
        Objects.requireNonNull(ifAbandoned, "ifAbandoned");
        return decide(call, start -> runLeased(start, ifAbandoned, operation));
    }

    /** @param run what is done to start; null if somebody else was quicker */
    private Outcome decide(Call call, Function<Start, @Nullable Outcome> run) {
        long begun = time.nanoTime();
        while (true) {
            Outcome outcome = step(call, run);
            if (outcome instanceof Outcome.InProgress) {
                CompletableFuture<Void> end = flights.end(call);
                if (hasWaited(call, begun, end)) {
                    continue;
                }
            }
            if (outcome != null) {
                tell(listener -> listener.ended(call.key(), outcome, Duration.ofNanos(time.nanoTime() - begun)));
                return outcome;
            }
        }
    }

    /** Looks up how the key stands and does what the table says. */
    private @Nullable Outcome step(Call call, Function<Start, @Nullable Outcome> run) {
        Sighting seen = store.find(call.key(), settings.quota());
        OnceRecord record = seen.record();
        Standing standing = Standing.of(seen);
        boolean same = record != null && record.fingerprint().equals(call.fingerprint());
        return switch (standing.step(same)) {
            case START -> start(new Start(call, seen, standing, settings), run);
            case FREEZE -> freeze(Objects.requireNonNull(record));
            case TELL_RUNNING -> new Outcome.InProgress(settings.retryHint());
            case TELL_UNKNOWN -> unknown(Objects.requireNonNull(record));
            case TELL_MISMATCH -> new Outcome.Mismatch();
            case REPLAY -> replayed(Objects.requireNonNull(record));
        };
    }

    private @Nullable Outcome start(Start start, Function<Start, @Nullable Outcome> run) {
        Call call = start.call();
        Flights.Flight flight = flights.begin(call);
        if (flight == null) {
            return flights.told(call, settings.retryHint());
        }
        try {
            return start.quotaWait().isZero() ? run.apply(start) : new Outcome.Limited(start.quotaWait());
        } finally {
            flights.end(call, flight);
        }
    }

    private @Nullable Outcome runAtomic(Start start, AtomicOperation operation) {
        Finished<Response> finished;
        try {
            finished = transactions.run(
                    tx -> Objects.requireNonNull(operation.run(tx), "the operation's response"),
                    response -> new Ending(response.isRefusal(), start.completed(response)));
        } catch (StoreException e) {
            throw e;
        } catch (Throwable cause) {
            return failed(start, null, cause);
        }
        if (finished.commit() instanceof CommitResult.Applied applied) {
            begun(start);
            return executed(finished.value(), Objects.requireNonNull(applied.once()));
        }
        return notStarted(finished.commit());
    }

    private @Nullable Outcome runLeased(Start start, IfAbandoned ifAbandoned, LeasedOperation operation) {
        long asked = time.nanoTime();
        CommitResult claimed = transactions.commit(Start.commit(start.claimed(ifAbandoned)));
        if (!(claimed instanceof CommitResult.Applied applied)) {
            return notStarted(claimed);
        }
        begun(start);
        OnceRecord claim = Objects.requireNonNull(applied.once());
        if (start.standing() == Standing.ABANDONED) {
            tell(listener -> listener.takenOver(claim.key(), claim.fence()));
        }
        Lease lease = new Lease(claim.fence(), time, settings.lease(), asked);
        Response response;
        try (Heartbeat heartbeat = new Heartbeat(
                transactions,
                time,
                settings,
                lease,
                () -> Start.commit(start.owned(claim, OnceStatus.PROCESSING, null)))) {
            heartbeat.start();
            response = Objects.requireNonNull(operation.run(lease), "the operation's response");
        } catch (UnknownOutcomeException cause) {
            return ifAbandoned == IfAbandoned.FREEZE ? leftOpen(start, claim) : failed(start, claim, cause);
        } catch (Throwable cause) {
            return failed(start, claim, cause);
        }
        CommitResult completed = transactions.commit(Start.commit(start.owned(claim, OnceStatus.COMPLETED, response)));
        if (completed instanceof CommitResult.Applied done) {
            return executed(response, Objects.requireNonNull(done.once()));
        }
        return late(start, claim);
    }

    /** Somebody else was quicker, or the user may begin no more keys. */
    private static @Nullable Outcome notStarted(CommitResult result) {
        return result instanceof CommitResult.Limited limited ? new Outcome.Limited(limited.retryAfter()) : null;
    }

    /**
     * Records that a run failed, after all that it wrote is gone. If that cannot be recorded, because somebody else was quicker or
     * the store is out of reach, it failed all the same.
     *
     * @param claim what the run has claimed; null if it is done in one commit
     */
    private Outcome failed(Start start, @Nullable OnceRecord claim, Throwable cause) {
        OnceWrite failure = claim == null ? start.failed() : start.owned(claim, OnceStatus.FAILED, null);
        try {
            boolean recorded = transactions.commit(Start.commit(failure)) instanceof CommitResult.Applied;
            if (recorded && claim == null) {
                begun(start);
            } else if (!recorded && claim != null) {
                tell(listener -> listener.completionRefused(claim.key(), claim.fence()));
            }
        } catch (StoreException e) {
            cause.addSuppressed(e);
        }
        if (cause instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return new Outcome.Failed(cause, start.attempt());
    }

    /** The operation could not tell whether it worked, and must not be run again. */
    private Outcome leftOpen(Start start, OnceRecord claim) {
        CommitResult left = transactions.commit(Start.commit(start.owned(claim, OnceStatus.UNKNOWN, null)));
        return left instanceof CommitResult.Applied ? unknown(claim) : late(start, claim);
    }

    /** The owner vanished, and the operation must not be run again; then looks again. */
    private @Nullable Outcome freeze(OnceRecord record) {
        OnceRecord frozen = record.with(OnceStatus.UNKNOWN, null);
        transactions.commit(Start.commit(new OnceWrite(Expected.asSeen(record), frozen, null, Quota.NONE)));
        return null;
    }

    /** The owner was silent for too long, and others have decided about its key: it is told how that stands, and starts nothing. */
    private Outcome late(Start start, OnceRecord claim) {
        tell(listener -> listener.completionRefused(claim.key(), claim.fence()));
        Outcome lost = new Outcome.Failed(new LeaseLostException(claim.fence()), start.attempt());
        Sighting seen = store.find(claim.key(), Quota.NONE);
        OnceRecord record = seen.record();
        if (record == null || !record.fingerprint().equals(claim.fingerprint())) {
            return lost;
        }
        return switch (Standing.of(seen)) {
            case COMPLETED -> replayed(record);
            case RUNNING -> new Outcome.InProgress(settings.retryHint());
            case UNKNOWN -> unknown(record);
            case NOTHING, EXPIRED, ABANDONED, TO_FREEZE, FAILED -> lost;
        };
    }

    private static Outcome executed(Response response, OnceRecord record) {
        return new Outcome.Executed(response, record.attempts(), Objects.requireNonNull(record.deadline()));
    }

    private static Outcome replayed(OnceRecord record) {
        return new Outcome.Replayed(
                Objects.requireNonNull(record.response()),
                record.attempts(),
                record.createdAt(),
                Objects.requireNonNull(record.deadline()));
    }

    private static Outcome unknown(OnceRecord record) {
        return new Outcome.Unknown(record.attempts(), record.createdAt());
    }

    /** Tells of a key that was begun now. */
    private void begun(Start start) {
        if (start.isNewKey()) {
            tell(listener -> listener.keyCreated(start.call().key()));
        }
        if (start.standing() == Standing.EXPIRED) {
            tell(listener -> listener.expiredKeyReused(start.call().key()));
        }
    }

    /**
     * Waits for the run under way to end, as long as the call is willing to.
     *
     * @param end when a run in this process ends; null if it runs elsewhere, where one can only look again from time to time
     * @return whether it is worth looking again
     */
    private boolean hasWaited(Call call, long begun, @Nullable CompletableFuture<Void> end) {
        Duration left = call.patience().minusNanos(time.nanoTime() - begun);
        if (left.isZero() || left.isNegative()) {
            return false;
        }
        try {
            if (end != null) {
                time.await(end, left);
            } else {
                time.sleep(left.compareTo(POLL) < 0 ? left : POLL);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void tell(Consumer<OnceListener> news) {
        try {
            news.accept(listener);
        } catch (RuntimeException e) {
            // whoever listens has no say in what happens
        }
    }
}
