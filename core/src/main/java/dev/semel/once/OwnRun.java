package dev.semel.once;

import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Sighting;
import dev.semel.store.StoreException;
import dev.semel.store.Transactions;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call whose operation has its effect in a transaction of somebody else's. A look at its key is one such transaction; what has to
 * be recorded apart from it is, after its connection was given back, so that nobody holds one connection and waits for another.
 */
final class OwnRun {

    private final Call call;
    private final OwnTransaction.Source source;
    private final Once once;
    private final Flights flights;
    private final Transactions transactions;
    private final OnceSettings settings;

    private boolean first = true;
    private Flights.@Nullable Flight flight;

    OwnRun(Call call, OwnTransaction.Source source, Once once) {
        this.call = call;
        this.source = source;
        this.once = once;
        this.flights = once.flights;
        this.transactions = once.transactions;
        this.settings = once.settings;
    }

    /** What is left to do when the connection was given back. */
    @FunctionalInterface
    private interface Rest {

        /** Null if the key has to be looked at again. */
        @Nullable Outcome end();
    }

    /** Looks at the key and does what the table says; null if it has to be looked at again. */
    @Nullable Outcome step() {
        Outcome told = flights.toldIfUnderWay(call, settings.retryHint());
        boolean firstLook = first;
        first = false;
        if (told != null) {
            return told; // and no connection was taken for it
        }
        try {
            Rest rest;
            try (OwnTransaction transaction = source.begin(firstLook)) {
                rest = look(transaction);
            }
            return rest.end();
        } finally {
            if (flight != null) {
                flights.end(flight);
                flight = null;
            }
        }
    }

    private Rest look(OwnTransaction transaction) {
        OwnTransaction.Claim claim = transaction.claim(call.key(), settings.quota());
        Sighting seen = claim.seen();
        Standing standing = Standing.of(seen);
        Standing.Step step = standing.step(Once.isSame(call, seen), settings.ifExpired());
        if (step != Standing.Step.START) {
            return () -> once.answer(step, Objects.requireNonNull(seen.record()));
        }
        if (!claim.isFree()) {
            return () -> new Outcome.InProgress(settings.retryHint());
        }
        flight = flights.begin(call);
        if (flight == null) {
            return () -> flights.told(call, settings.retryHint());
        }
        Start start = new Start(call, seen, standing, settings);
        if (!start.quotaWait().isZero()) {
            return () -> new Outcome.Limited(start.quotaWait());
        }
        return run(transaction, start, claim.isCertain());
    }

    private Rest run(OwnTransaction transaction, Start start, boolean certain) {
        boolean ours = transaction.isCommittedHere();
        Response response;
        try {
            response = Objects.requireNonNull(transaction.run(), "the operation's response");
        } catch (TransactionEndedException e) {
            return () -> leftOpen(start, e);
        } catch (UnrecordedException cause) {
            return () -> certain || isStillSo(start) ? Once.failed(cause, start) : null;
        } catch (Throwable cause) {
            return () -> failed(start, cause, ours, certain);
        }
        Commit commit = Commit.of(transactions.newAttempt(), start.completed(response));
        if (response.isRefusal() && ours) {
            return () -> refused(start, response, commit);
        }
        try {
            CommitResult result = transaction.complete(commit);
            return () -> result instanceof CommitResult.Applied applied ? executed(start, response, applied) : null;
        } catch (TransactionEndedException e) {
            return () -> leftOpen(start, e);
        } catch (StoreException e) {
            return () -> resolve(start, response, commit, e, ours);
        } catch (Throwable cause) {
            return () -> failed(start, cause, ours, false);
        }
    }

    private Outcome executed(Start start, Response response, CommitResult.Applied applied) {
        OnceRecord record = Objects.requireNonNull(applied.once());
        once.begun(start, record);
        return Once.executed(response, record);
    }

    /** Nothing that it wrote is there any more; the refusal is recorded, unless somebody else was quicker. */
    private @Nullable Outcome refused(Start start, Response response, Commit commit) {
        CommitResult result = transactions.commit(commit);
        return result instanceof CommitResult.Applied applied
                ? executed(start, response, applied)
                : Once.notStarted(result);
    }

    /**
     * It did not work, and nothing that it wrote is there.
     *
     * @param certain whether it failed by itself for certain, and not because the same had been done before
     */
    private @Nullable Outcome failed(Start start, Throwable cause, boolean ours, boolean certain) {
        if (!ours) {
            return Once.failed(cause, start);
        }
        return once.recordFailed(start.failed(), start, cause) || certain ? Once.failed(cause, start) : null;
    }

    /** The operation may have committed something: nobody shall run it again before somebody has looked. */
    private Outcome leftOpen(Start start, TransactionEndedException ended) {
        once.recordFailed(uncounted(start.unknown()), start, ended);
        throw ended;
    }

    /**
     * It is open whether the transaction was committed. A record that it failed can only be written when the transaction has ended,
     * since that holds the key's lock, and only if it has left none; and when that is written, it cannot come later.
     */
    private @Nullable Outcome resolve(
            Start start, Response response, Commit commit, StoreException broken, boolean ours) {
        if (!ours) {
            throw broken;
        }
        CommitResult result = transactions.commit(uncounted(start.failed()));
        if (result instanceof CommitResult.Applied failed) {
            once.begun(start, Objects.requireNonNull(failed.once()));
            return Once.failed(broken, start);
        }
        OnceRecord record = transactions.store().find(call.key(), Quota.NONE).record();
        boolean committed = record != null && record.attempt().equals(commit.attempt());
        return committed ? executed(start, response, new CommitResult.Applied(record)) : Once.notStarted(result);
    }

    /** Written in any case, however many keys the user has begun. */
    private static OnceWrite uncounted(OnceWrite write) {
        return new OnceWrite(write.expected(), write.record(), write.life(), write.afterlife(), Quota.NONE);
    }

    private boolean isStillSo(Start start) {
        Sighting seen = transactions.store().find(call.key(), Quota.NONE);
        return Standing.of(seen) == start.standing();
    }
}
