package dev.semel.once;

import dev.semel.document.Transactions;
import dev.semel.document.Transactions.Ending;
import dev.semel.document.Transactions.Finished;
import dev.semel.once.Once.AtomicOperation;
import dev.semel.once.Once.UnrecordedException;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.OnceStore.Lookup;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * A run in atomic mode: effects, key and response are one commit. There is no record while the operation runs, so a crash leaves nothing
 * behind. {@link KeyState} explains why this is exactly once.
 */
final class AtomicRun extends StoreRun {

    private final Transactions transactions;
    private final List<Duration> backoff;
    private final AtomicOperation operation;

    AtomicRun(Engine engine, Call call, Transactions transactions, List<Duration> backoff, AtomicOperation operation) {
        super(engine, call);
        this.transactions = transactions;
        this.backoff = backoff;
        this.operation = operation;
    }

    @Override
    Step run(Attempt attempt, InFlightCalls.InFlightCall mine) {
        Finished<Response> finished;
        try {
            finished = transactions.run(
                    tx -> Objects.requireNonNull(operation.run(tx), "the operation's response"),
                    response -> new Ending(response.isRefusal(), attempt.completed(response)),
                    backoff);
        } catch (StoreException e) {
            throw e;
        } catch (UnrecordedException cause) {
            return Step.done(failedUnlessCompleted(cause, attempt));
        } catch (Throwable cause) {
            return Step.done(failed(cause, attempt));
        }
        if (finished.commit() instanceof CommitResult.Applied applied) {
            IdempotencyRecord record = Objects.requireNonNull(applied.record());
            engine.started(attempt, record);
            return Step.done(Engine.executed(finished.value(), record));
        }
        return engine.notStarted(finished.commit());
    }

    /** Records a failure; the operation's writes were discarded. The outcome is a failure even if the store cannot record it. */
    private Outcome failed(Throwable cause, Attempt attempt) {
        return engine.recordFailed(attempt.failed(cause), attempt, cause)
                ? Engine.failed(cause, attempt)
                : failedUnlessCompleted(cause, attempt);
    }

    /** Replays if the same operation completed elsewhere meanwhile, since this may be why it failed here. */
    private Outcome failedUnlessCompleted(Throwable cause, Attempt attempt) {
        try {
            Lookup found = engine.store.find(call.key());
            if (KeyState.of(found) == KeyState.COMPLETED && Engine.isSamePayload(call, found)) {
                Engine.restoreInterrupt(cause);
                return Engine.replayed(Objects.requireNonNull(found.record()));
            }
        } catch (StoreException e) {
            cause.addSuppressed(e);
        }
        return Engine.failed(cause, attempt);
    }
}
