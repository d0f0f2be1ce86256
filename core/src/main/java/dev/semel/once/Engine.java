package dev.semel.once;

import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.internal.Committer;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import dev.semel.store.spi.OnceStore;
import dev.semel.store.spi.OnceStore.Lookup;
import dev.semel.store.spi.QuotaStore;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Shared by the runs of the three modes: the store, the settings, and the mapping from records to outcomes. */
final class Engine {

    final OnceStore store;
    final Committer committer;
    final Time time;
    final OnceSettings settings;
    final InFlightCalls inFlight;
    final Heartbeats heartbeats;
    private final OnceListener listener;
    private final @Nullable QuotaStore quotas;

    Engine(OnceStore store, Committer committer, Time time, OnceSettings settings, OnceListener listener) {
        this.store = store;
        this.committer = committer;
        this.time = time;
        this.settings = settings;
        this.listener = listener;
        this.inFlight = new InFlightCalls(time, settings.longestRun());
        this.heartbeats = new Heartbeats(inFlight, committer, time, settings);
        this.quotas = store instanceof QuotaStore counting ? counting : null;
    }

    /** Looks up a key that this call may start, with the wait that its user's quota imposes. */
    Lookup findToStart(IdempotencyKey key) {
        return quotas == null ? store.find(key) : quotas.find(key, settings.quota());
    }

    static boolean isSamePayload(Call call, Lookup found) {
        IdempotencyRecord record = found.record();
        return record != null && record.fingerprint().equals(call.fingerprint());
    }

    /** Takes the action of a call that does not start the operation. */
    Step respond(KeyState.Action action, IdempotencyRecord record) {
        return switch (action) {
            case START -> Step.LOST_RACE;
            case FREEZE -> freeze(record);
            case REPORT_IN_PROGRESS -> Step.done(inProgress());
            case REPORT_UNKNOWN -> Step.done(unknown(record));
            case REPORT_MISMATCH -> Step.done(new Outcome.Mismatch());
            case REPORT_EXPIRED ->
                Step.done(new Outcome.Expired(record.createdAt(), Objects.requireNonNull(record.deadline())));
            case REPLAY -> Step.done(replayed(record));
        };
    }

    /** Records the outcome as unknown; the next lookup reports it. */
    private Step freeze(IdempotencyRecord record) {
        IdempotencyRecord frozen =
                record.toBuilder().status(Status.UNKNOWN).response(null).build();
        committer.commit(new IdempotencyWrite(Precondition.unchanged(record), frozen, null, Duration.ZERO, Quota.NONE));
        return Step.LOST_RACE;
    }

    /** Returns the step after a start that was rejected: a lost race, a run in progress, or an exceeded quota. */
    Step notStarted(CommitResult result) {
        if (result instanceof CommitResult.KeyInProgress) {
            return Step.done(inProgress());
        }
        return result instanceof CommitResult.QuotaExceeded exceeded
                ? Step.done(new Outcome.Limited(exceeded.retryAfter()))
                : Step.LOST_RACE;
    }

    /**
     * Records that a run without a lease failed. An exception of the store is added to the cause.
     *
     * @return false if another call has changed the key or is running
     */
    boolean recordFailed(IdempotencyWrite write, Attempt attempt, Throwable cause) {
        try {
            CommitResult result = committer.commit(write);
            if (result instanceof CommitResult.Applied applied) {
                started(attempt, Objects.requireNonNull(applied.record()));
            }
            return !(result instanceof CommitResult.RecordConflict || result instanceof CommitResult.KeyInProgress);
        } catch (StoreException e) {
            cause.addSuppressed(e);
            return true;
        }
    }

    static Outcome failed(Throwable cause, Attempt attempt) {
        restoreInterrupt(cause);
        return new Outcome.Failed(cause, attempt.number());
    }

    static void restoreInterrupt(Throwable cause) {
        if (cause instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }

    Outcome inProgress() {
        return new Outcome.InProgress(settings.retryHint());
    }

    static Outcome executed(Response response, IdempotencyRecord record) {
        return new Outcome.Executed(response, record.attempts(), Objects.requireNonNull(record.deadline()));
    }

    static Outcome replayed(IdempotencyRecord record) {
        return new Outcome.Replayed(
                Objects.requireNonNull(record.response()),
                record.attempts(),
                record.createdAt(),
                Objects.requireNonNull(record.deadline()));
    }

    static Outcome unknown(IdempotencyRecord record) {
        return new Outcome.Unknown(record.attempts(), record.createdAt());
    }

    /** Notifies the listener of a run whose start was recorded. */
    void started(Attempt attempt, IdempotencyRecord record) {
        if (attempt.isNewKey()) {
            notify(listener -> listener.keyCreated(record.key()));
        }
        if (attempt.state() == KeyState.ABANDONED) {
            notify(listener -> listener.takenOver(record.key(), record.fencingToken()));
        }
        if (attempt.state() == KeyState.EXPIRED) {
            notify(listener -> listener.expiredKeyReused(record.key()));
        }
    }

    void notify(Consumer<OnceListener> event) {
        try {
            event.accept(listener);
        } catch (Throwable e) {
            // a faulty listener must not change the outcome
        }
    }
}
