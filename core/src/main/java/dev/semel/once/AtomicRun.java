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

/** Effects, key and response in one commit. There is no record while it runs, so a crash leaves nothing behind. */
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
        return Engine.notStarted(finished.commit());
    }

    /** Its writes were discarded. If the store cannot record that it failed, it failed all the same. */
    private Outcome failed(Throwable cause, Attempt attempt) {
        return engine.recordFailed(attempt.failed(), attempt, cause)
                ? Engine.failed(cause, attempt)
                : failedUnlessCompleted(cause, attempt);
    }

    /** It may have failed because the same call completed elsewhere at the same time: then that response is the response. */
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
