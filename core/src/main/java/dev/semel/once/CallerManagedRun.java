package dev.semel.once;

import dev.semel.once.Once.UnrecordedException;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.CallerTransaction;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OnceStore.Lookup;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A run in caller-managed mode: effects and key are in a database transaction of the caller. Each step is one such transaction. Writes
 * outside of it follow after its connection was returned, so no thread holds one connection while it waits for another. {@link KeyState}
 * explains why this is exactly once.
 */
final class CallerManagedRun {

    private static final Duration POLL = Duration.ofMillis(50);
    private static final int MOST_POLLS = 100;

    private final Engine engine;
    private final Call call;
    private final CallerTransaction.Source source;

    private boolean first = true;
    private InFlightCalls.@Nullable InFlightCall mine;

    CallerManagedRun(Engine engine, Call call, CallerTransaction.Source source) {
        this.engine = engine;
        this.call = call;
        this.source = source;
    }

    /** Looks up the key and takes the action that {@link KeyState} gives. */
    Step step() {
        boolean isFirst = first;
        first = false;
        Outcome inFlight = engine.inFlight.outcome(call, engine.inProgress());
        if (inFlight != null) {
            return Step.done(inFlight); // needs no connection
        }
        try {
            Supplier<Step> afterwards; // runs after the connection was returned
            try (CallerTransaction transaction = source.begin(isFirst)) {
                afterwards = lookUp(transaction);
            }
            return afterwards.get();
        } finally {
            if (mine != null) {
                engine.inFlight.end(mine);
                mine = null;
            }
        }
    }

    private Supplier<Step> lookUp(CallerTransaction transaction) {
        CallerTransaction.Claim claim = transaction.claim(call.key(), engine.settings.quota());
        Lookup found = claim.found();
        KeyState state = KeyState.of(found);
        KeyState.Action action = state.action(Engine.isSamePayload(call, found), engine.settings.ifExpired());
        if (action != KeyState.Action.START) {
            return () -> engine.respond(action, Objects.requireNonNull(found.record()));
        }
        if (!claim.isExclusive()) {
            return () -> Step.done(engine.inProgress());
        }
        mine = engine.inFlight.start(call);
        if (mine == null) {
            return () -> engine.inFlight.report(call, engine.inProgress());
        }
        Attempt attempt = new Attempt(call, found, state, engine.settings);
        if (!attempt.quotaWait().isZero()) {
            return () -> Step.done(new Outcome.Limited(attempt.quotaWait()));
        }
        return run(transaction, attempt, claim.isLookedUp());
    }

    private Supplier<Step> run(CallerTransaction transaction, Attempt attempt, boolean lookedUp) {
        boolean commits = transaction.isCommittedHere();
        Response response;
        try {
            response = Objects.requireNonNull(transaction.run(), "the operation's response");
        } catch (CallerTransaction.EndedException e) {
            return () -> ended(attempt, e);
        } catch (UnrecordedException cause) {
            return () -> lookedUp || isUnchanged(attempt) ? Step.done(Engine.failed(cause, attempt)) : Step.LOST_RACE;
        } catch (Throwable cause) {
            return () -> failed(attempt, cause, commits, lookedUp);
        }
        String commitId = engine.committer.newCommitId();
        IdempotencyWrite completed = attempt.completed(response);
        if (response.isRefusal() && commits) {
            return () -> refused(attempt, response, commitId, completed);
        }
        try {
            CommitResult result = transaction.complete(commitId, completed);
            return () -> result instanceof CommitResult.Applied applied
                    ? executed(attempt, response, Objects.requireNonNull(applied.record()))
                    : Step.LOST_RACE;
        } catch (CallerTransaction.EndedException e) {
            return () -> ended(attempt, e);
        } catch (StoreException e) {
            return () -> resolve(attempt, response, commitId, e, commits);
        } catch (Throwable cause) {
            return () -> failed(attempt, cause, commits, false);
        }
    }

    private Step executed(Attempt attempt, Response response, IdempotencyRecord record) {
        engine.started(attempt, record);
        return Step.done(Engine.executed(response, record));
    }

    /** Records a refusal in a separate commit, after the operation's writes were rolled back. */
    private Step refused(Attempt attempt, Response response, String commitId, IdempotencyWrite completed) {
        CommitResult result = engine.committer.commit(commitId, completed, () -> false);
        return result instanceof CommitResult.Applied applied
                ? executed(attempt, response, Objects.requireNonNull(applied.record()))
                : engine.notStarted(result);
    }

    /**
     * Records a failure, after the operation's writes were rolled back.
     *
     * @param certain whether the operation cannot have failed because the same call completed elsewhere
     */
    private Step failed(Attempt attempt, Throwable cause, boolean commits, boolean certain) {
        boolean failed = !commits || engine.recordFailed(attempt.failed(cause), attempt, cause) || certain;
        return failed ? Step.done(Engine.failed(cause, attempt)) : Step.LOST_RACE;
    }

    /** Records an unknown outcome: the operation ended the transaction itself and may have committed effects. */
    private Step ended(Attempt attempt, CallerTransaction.EndedException ended) {
        engine.recordFailed(attempt.unknown().withoutQuota(), attempt, ended);
        throw ended;
    }

    /**
     * Resolves a COMMIT whose response was lost. The transaction holds the lock of the key, so a record that it failed is written only
     * after it has ended, and only if it left no record. Once that is written, the transaction cannot be committed any more.
     */
    private Step resolve(Attempt attempt, Response response, String commitId, StoreException cause, boolean commits) {
        if (!commits) {
            throw cause;
        }
        CommitResult result = engine.committer.commit(attempt.failed(cause).withoutQuota());
        for (int polls = 0; result instanceof CommitResult.KeyInProgress && polls < MOST_POLLS; polls++) {
            engine.committer.pause(POLL); // until the server has ended the transaction
            result = engine.committer.commit(attempt.failed(cause).withoutQuota());
        }
        if (result instanceof CommitResult.Applied failed) {
            engine.started(attempt, Objects.requireNonNull(failed.record()));
            return Step.done(Engine.failed(cause, attempt));
        }
        IdempotencyRecord record = engine.store.find(call.key()).record();
        return record != null && record.commitId().equals(commitId)
                ? executed(attempt, response, record)
                : engine.notStarted(result);
    }

    private boolean isUnchanged(Attempt attempt) {
        return KeyState.of(engine.store.find(call.key())) == attempt.state();
    }
}
