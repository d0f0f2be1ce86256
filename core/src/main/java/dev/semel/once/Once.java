package dev.semel.once;

import dev.semel.store.Capability;
import dev.semel.store.Commit;
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
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
    private static final Duration GIVING_BACK = Duration.ofSeconds(1);

    /** How often a call looks again because somebody else was quicker; a store that is sound lets one of them through. */
    private static final int MOST_LOOKS = 100;

    private final Store store;
    private final Time time;
    final OnceSettings settings;
    private final OnceListener listener;
    final Transactions transactions;
    final Flights flights;
    private final Heartbeats heartbeats;

    public Once(Store store, Time time, OnceSettings settings, OnceListener listener) {
        this(new Transactions(store, time), time, settings, listener);
    }

    /** On the store of some transactions. */
    public Once(Transactions transactions, Time time, OnceSettings settings, OnceListener listener) {
        this.store = transactions.store();
        this.time = time;
        this.settings = settings;
        this.listener = listener;
        this.transactions = transactions;
        this.flights = new Flights(time, settings.longestRun());
        this.heartbeats = new Heartbeats(flights, transactions, time, settings);
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
        return atomic(call, Transactions.QUICK_PAUSES, operation);
    }

    /**
     * The same for an operation that is run again after each of some pauses when others were quicker to change what it has read. If
     * that does not help, it has failed with a {@link dev.semel.store.ConflictException}.
     */
    public Outcome atomic(Call call, List<Duration> pauses, AtomicOperation operation) {
        Objects.requireNonNull(pauses, "pauses");
        Objects.requireNonNull(operation, "operation");
        if (!store.capabilities().contains(Capability.COMMIT)) {
            throw new UnsupportedOperationException("This store cannot commit documents: run the operation as leased");
        }
        return decide(call, () -> step(call, (start, flight) -> runAtomic(start, pauses, operation)));
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
        Objects.requireNonNull(operation, "operation");
        return decide(call, () -> step(call, (start, flight) -> runLeased(start, flight, ifAbandoned, operation)));
    }

    /**
     * Runs an operation whose whole effect is in a transaction of a database, in which its key is recorded too. This is for stores that
     * have such transactions, which offer it in their own words; the store of this engine has to be in the same database.
     *
     * @throws StoreException if the database fails
     * @throws ReentryException if called by the operation itself
     * @throws TransactionEndedException if the operation has ended its transaction itself
     */
    public Outcome own(Call call, OwnTransaction.Source source) {
        return decide(call, new OwnRun(call, source, this)::step);
    }

    /** How an operation is started. */
    @FunctionalInterface
    private interface Run {

        /** Null if somebody else was quicker. */
        @Nullable Outcome run(Start start, Flights.Flight flight);
    }

    private Outcome decide(Call call, Supplier<@Nullable Outcome> step) {
        long begun = time.nanoTime();
        tell(listener -> listener.called(call.key()));
        try {
            Outcome outcome = decide(call, step, begun);
            tell(listener -> listener.ended(call.key(), outcome, Duration.ofNanos(time.nanoTime() - begun)));
            return outcome;
        } catch (Throwable e) {
            tell(listener -> listener.brokeOff(call.key(), e));
            throw e;
        }
    }

    private Outcome decide(Call call, Supplier<@Nullable Outcome> step, long begun) {
        int looks = 0;
        while (true) {
            Outcome outcome = step.get();
            if (outcome == null) {
                lookAgain(++looks);
            } else if (!(outcome instanceof Outcome.InProgress) || !hasWaited(call, begun, flights.end(call))) {
                return outcome;
            }
        }
    }

    private void lookAgain(int looks) {
        if (looks > MOST_LOOKS) {
            throw StoreException.unavailable("The store shows a key otherwise than it lets it be written", null);
        }
        if (looks > 3) {
            transactions.pause(Duration.ofMillis(looks));
        }
    }

    /** Looks up how the key stands and does what the table says. */
    private @Nullable Outcome step(Call call, Run run) {
        Sighting seen = store.find(call.key(), settings.quota());
        OnceRecord record = seen.record();
        Standing standing = Standing.of(seen);
        Standing.Step step = standing.step(isSame(call, seen), settings.ifExpired());
        return step == Standing.Step.START
                ? start(new Start(call, seen, standing, settings), run)
                : answer(step, Objects.requireNonNull(record));
    }

    static boolean isSame(Call call, Sighting seen) {
        OnceRecord record = seen.record();
        return record != null && record.fingerprint().equals(call.fingerprint());
    }

    /** What a call is told that does not start. */
    @Nullable Outcome answer(Standing.Step step, OnceRecord record) {
        return switch (step) {
            case START -> null;
            case FREEZE -> freeze(record);
            case TELL_RUNNING -> new Outcome.InProgress(settings.retryHint());
            case TELL_UNKNOWN -> unknown(record);
            case TELL_MISMATCH -> new Outcome.Mismatch();
            case TELL_EXPIRED -> expired(record);
            case REPLAY -> replayed(record);
        };
    }

    private @Nullable Outcome start(Start start, Run run) {
        Call call = start.call();
        Flights.Flight flight = flights.begin(call);
        if (flight == null) {
            flights.check(call);
            return flights.told(call, settings.retryHint());
        }
        try {
            return start.quotaWait().isZero() ? run.run(start, flight) : new Outcome.Limited(start.quotaWait());
        } finally {
            flights.end(flight);
        }
    }

    private @Nullable Outcome runAtomic(Start start, List<Duration> pauses, AtomicOperation operation) {
        Finished<Response> finished;
        try {
            finished = transactions.run(
                    tx -> Objects.requireNonNull(operation.run(tx), "the operation's response"),
                    response -> new Ending(response.isRefusal(), start.completed(response)),
                    pauses);
        } catch (StoreException e) {
            throw e;
        } catch (UnrecordedException cause) {
            return failedUnlessCompleted(cause, start);
        } catch (Throwable cause) {
            return failed(start, cause);
        }
        if (finished.commit() instanceof CommitResult.Applied applied) {
            OnceRecord record = Objects.requireNonNull(applied.once());
            begun(start, record);
            return executed(finished.value(), record);
        }
        return notStarted(finished.commit());
    }

    private @Nullable Outcome runLeased(
            Start start, Flights.Flight flight, IfAbandoned ifAbandoned, LeasedOperation operation) {
        long asked = time.nanoTime();
        CommitResult claimed = claim(start, ifAbandoned);
        if (!(claimed instanceof CommitResult.Applied applied)) {
            return notStarted(claimed);
        }
        OnceRecord claim = Objects.requireNonNull(applied.once());
        Lease lease = new Lease(claim.fence(), time, settings.lease(), asked);
        if (!lease.isHeld()) {
            // The answer took so long that others may have taken over: nothing was begun, so one looks again.
            giveBackNow(new Ownership(start, claim, lease));
            return null;
        }
        begun(start, claim);
        Heartbeats.Beat beat =
                heartbeats.start(flight, lease, asked, () -> start.owned(claim, OnceStatus.PROCESSING, null));
        try {
            return runOwned(new Ownership(start, claim, lease), ifAbandoned, operation);
        } finally {
            beat.close();
        }
    }

    /**
     * Claims an operation. If it stays open whether that worked, nothing is run; and if it did work, it is given back as soon as the
     * store can be asked.
     */
    private CommitResult claim(Start start, IfAbandoned ifAbandoned) {
        Commit claim = Commit.of(transactions.newAttempt(), start.claimed(ifAbandoned));
        try {
            return transactions.commit(claim);
        } catch (StoreException e) {
            if (!e.isCertain()) {
                giveBackLater(start, claim.attempt(), time.nanoTime());
            }
            throw e;
        }
    }

    /** What was claimed too late. */
    private void giveBackNow(Ownership mine) {
        try {
            end(mine, OnceStatus.FAILED, null);
            begun(mine.start, mine.claim);
        } catch (StoreException e) {
            giveBackLater(mine.start, mine.claim.attempt(), time.nanoTime());
            throw e;
        }
    }

    private void giveBackLater(Start start, String attempt, long gaveUp) {
        time.after(GIVING_BACK, () -> giveBack(start, attempt, gaveUp));
    }

    /** What was asked for may come to be only now, as long as the store is still at it. */
    private void giveBack(Start start, String attempt, long gaveUp) {
        if (isGivenBack(start, attempt)
                || time.nanoTime() - gaveUp > settings.lease().toNanos()) {
            return;
        }
        giveBackLater(start, attempt, gaveUp);
    }

    private boolean isGivenBack(Start start, String attempt) {
        try {
            OnceRecord record = store.find(start.call().key(), Quota.NONE).record();
            if (record == null || !record.attempt().equals(attempt)) {
                return false;
            }
            if (transactions.commit(start.owned(record, OnceStatus.FAILED, null)) instanceof CommitResult.Applied) {
                begun(start, record);
            }
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** A run that owns its operation. */
    private record Ownership(Start start, OnceRecord claim, Lease lease) {}

    private Outcome runOwned(Ownership mine, IfAbandoned ifAbandoned, LeasedOperation operation) {
        Response response;
        try {
            response = operation.run(mine.lease);
        } catch (Throwable cause) {
            boolean open = cause instanceof Error
                    || cause instanceof InterruptedException
                    || cause instanceof UnknownOutcomeException;
            return ifAbandoned == IfAbandoned.FREEZE && open ? leftOpen(mine, cause) : failed(mine, cause);
        }
        if (response == null) {
            Throwable cause = new NullPointerException("the operation's response");
            return ifAbandoned == IfAbandoned.FREEZE ? leftOpen(mine, cause) : failed(mine, cause);
        }
        CommitResult completed = end(mine, OnceStatus.COMPLETED, response);
        return completed instanceof CommitResult.Applied done
                ? executed(response, Objects.requireNonNull(done.once()))
                : late(mine);
    }

    /** Records how a run ended. As long as its lease is kept, a store that fails is asked again: the effect is there already. */
    private CommitResult end(Ownership mine, OnceStatus status, @Nullable Response response) {
        Commit commit = Commit.of(transactions.newAttempt(), mine.start.owned(mine.claim, status, response));
        return transactions.commit(commit, mine.lease::isHeld);
    }

    /** Somebody else was quicker, or the user may begin no more keys. */
    static @Nullable Outcome notStarted(CommitResult result) {
        return result instanceof CommitResult.Limited limited ? new Outcome.Limited(limited.retryAfter()) : null;
    }

    /**
     * Records that an atomic run failed, after all that it wrote is gone. If that cannot be recorded, because the store is out of reach,
     * it failed all the same.
     */
    private Outcome failed(Start start, Throwable cause) {
        boolean first = recordFailed(start.failed(), start, cause);
        return first ? failed(cause, start) : failedUnlessCompleted(cause, start);
    }

    /** A run may fail because of what somebody else did who ran the same at once, and was quicker: then their answer is the answer. */
    private Outcome failedUnlessCompleted(Throwable cause, Start start) {
        try {
            Sighting seen = store.find(start.call().key(), Quota.NONE);
            if (Standing.of(seen) == Standing.COMPLETED && isSame(start.call(), seen)) {
                restoreInterrupt(cause);
                return replayed(Objects.requireNonNull(seen.record()));
            }
        } catch (StoreException e) {
            cause.addSuppressed(e);
        }
        return failed(cause, start);
    }

    /** Whether nobody else was quicker; what the store throws goes with the cause. */
    boolean recordFailed(OnceWrite write, Start start, Throwable cause) {
        try {
            CommitResult result = transactions.commit(write);
            if (result instanceof CommitResult.Applied applied) {
                begun(start, Objects.requireNonNull(applied.once()));
            }
            return !(result instanceof CommitResult.OnceChanged);
        } catch (StoreException e) {
            cause.addSuppressed(e);
            return true;
        }
    }

    /** Records that a leased run failed; if that cannot be recorded, it failed all the same. */
    private Outcome failed(Ownership mine, Throwable cause) {
        try {
            if (!(end(mine, OnceStatus.FAILED, null) instanceof CommitResult.Applied)) {
                tell(listener -> listener.completionRefused(mine.claim.key(), mine.claim.fence()));
            }
        } catch (StoreException e) {
            cause.addSuppressed(e);
        }
        return failed(cause, mine.start);
    }

    static Outcome failed(Throwable cause, Start start) {
        restoreInterrupt(cause);
        return new Outcome.Failed(cause, start.attempt());
    }

    private static void restoreInterrupt(Throwable cause) {
        if (cause instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }

    /** It cannot be told whether the operation worked, and it must not be run again. */
    private Outcome leftOpen(Ownership mine, Throwable cause) {
        CommitResult left = end(mine, OnceStatus.UNKNOWN, null);
        restoreInterrupt(cause);
        return left instanceof CommitResult.Applied ? unknown(mine.claim) : late(mine);
    }

    /** The owner vanished, and the operation must not be run again; then looks again. */
    private @Nullable Outcome freeze(OnceRecord record) {
        OnceRecord frozen = record.with(OnceStatus.UNKNOWN, null);
        transactions.commit(new OnceWrite(Expected.asSeen(record), frozen, null, Duration.ZERO, Quota.NONE));
        return null;
    }

    /** The owner was silent for too long, and others have decided about its key: it is told how that stands, and starts nothing. */
    private Outcome late(Ownership mine) {
        OnceRecord claim = mine.claim;
        tell(listener -> listener.completionRefused(claim.key(), claim.fence()));
        Outcome lost = new Outcome.Failed(new LeaseLostException(claim.fence()), claim.attempts());
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

    static Outcome executed(Response response, OnceRecord record) {
        return new Outcome.Executed(response, record.attempts(), Objects.requireNonNull(record.deadline()));
    }

    private static Outcome replayed(OnceRecord record) {
        return new Outcome.Replayed(
                Objects.requireNonNull(record.response()),
                record.attempts(),
                record.createdAt(),
                Objects.requireNonNull(record.deadline()));
    }

    private static Outcome expired(OnceRecord record) {
        return new Outcome.Expired(record.createdAt(), Objects.requireNonNull(record.deadline()));
    }

    private static Outcome unknown(OnceRecord record) {
        return new Outcome.Unknown(record.attempts(), record.createdAt());
    }

    /** Tells of a run that was begun now. */
    void begun(Start start, OnceRecord record) {
        if (start.isNewKey()) {
            tell(listener -> listener.keyCreated(start.call().key()));
        }
        if (start.standing() == Standing.ABANDONED) {
            tell(listener -> listener.takenOver(record.key(), record.fence()));
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
        } catch (Throwable e) {
            // whoever listens has no say in what happens
        }
    }
}
