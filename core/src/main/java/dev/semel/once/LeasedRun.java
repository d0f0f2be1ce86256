package dev.semel.once;

import dev.semel.once.Once.AsyncLeasedOperation;
import dev.semel.once.Once.UnknownOutcomeException;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OnceStore.Lookup;
import java.io.InterruptedIOException;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A run in leased mode: the effects are elsewhere. One commit claims the operation, another completes it, and a lease is renewed in
 * between. {@link KeyState} explains what this guarantees.
 */
final class LeasedRun extends StoreRun {

    private static final System.Logger LOG = System.getLogger(Once.class.getName());

    private static final Duration RELEASE_RETRY = Duration.ofSeconds(1);

    private final IfAbandoned ifAbandoned;
    private final AsyncLeasedOperation operation;

    LeasedRun(Engine engine, Call call, IfAbandoned ifAbandoned, AsyncLeasedOperation operation) {
        super(engine, call);
        this.ifAbandoned = ifAbandoned;
        this.operation = operation;
    }

    /** The claim and the lease of a run that owns its operation. */
    private record Ownership(Attempt attempt, IdempotencyRecord claim, Lease lease) {}

    @Override
    Step run(Attempt attempt, InFlightCalls.InFlightCall mine) {
        long claimedAt = engine.time.nanoTime();
        CommitResult claimed = claim(attempt);
        if (!(claimed instanceof CommitResult.Applied applied)) {
            return engine.notStarted(claimed);
        }
        IdempotencyRecord claim = Objects.requireNonNull(applied.record());
        Lease lease = new Lease(claim.fencingToken(), engine.time, engine.settings.lease(), claimedAt);
        Ownership ownership = new Ownership(attempt, claim, lease);
        if (!lease.isHeld()) {
            // The claim took longer than the lease, so others may have taken over. Nothing was run: look up the key
            // again.
            release(ownership);
            return Step.LOST_RACE;
        }
        engine.started(attempt, claim);
        Heartbeats.Heartbeat heartbeat =
                engine.heartbeats.start(mine, lease, claimedAt, () -> attempt.owned(claim, Status.PROCESSING, null));
        return run(ownership, mine, heartbeat);
    }

    private Step run(Ownership ownership, InFlightCalls.InFlightCall mine, Heartbeats.Heartbeat heartbeat) {
        boolean pending = false;
        try {
            CompletableFuture<Response> response;
            try {
                response = operation.start(ownership.lease).toCompletableFuture();
            } catch (Throwable cause) {
                return Step.done(ended(ownership, null, cause));
            }
            if (response.isDone() && !response.isCompletedExceptionally()) {
                return Step.done(ended(ownership, response.join(), null));
            }
            pending = true;
            mine.leaveThread();
            return new Step.Pending(response.handle((result, cause) -> {
                try {
                    return ended(ownership, result, cause == null ? null : unwrapped(cause));
                } finally {
                    heartbeat.stop();
                    engine.inFlight.end(mine);
                }
            }));
        } finally {
            if (!pending) {
                heartbeat.stop();
            }
        }
    }

    /** Returns the cause of a failed future. An interruption concerns another thread than the one that completes the future. */
    static Throwable unwrapped(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof InterruptedException ? new ExecutionException(cause) : cause;
    }

    private Outcome ended(Ownership mine, @Nullable Response response, @Nullable Throwable cause) {
        if (cause != null) {
            boolean unknown = ifAbandoned == IfAbandoned.FREEZE && mayHaveHadEffect(cause);
            return unknown ? unknown(mine, cause) : failed(mine, cause);
        }
        if (response == null) {
            Throwable missing = new NullPointerException("the operation's response");
            return ifAbandoned == IfAbandoned.FREEZE ? unknown(mine, missing) : failed(mine, missing);
        }
        return end(mine, mine.attempt.owned(mine.claim, Status.COMPLETED, response))
                        instanceof CommitResult.Applied applied
                ? Engine.executed(response, Objects.requireNonNull(applied.record()))
                : leaseLost(mine);
    }

    /**
     * Whether an operation may have had its effect although it threw: an error, an interruption or an {@link UnknownOutcomeException},
     * however deeply frameworks have wrapped it.
     */
    private static boolean mayHaveHadEffect(Throwable thrown) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>()); // causes may form a cycle
        for (Throwable cause = thrown; cause != null && seen.add(cause); cause = cause.getCause()) {
            if (cause instanceof Error
                    || cause instanceof InterruptedException
                    || cause instanceof InterruptedIOException
                    || cause instanceof ClosedByInterruptException
                    || cause instanceof FileLockInterruptionException
                    || cause instanceof UnknownOutcomeException) {
                return true;
            }
        }
        return false;
    }

    /** Records how a run ended. The effect has happened, so this keeps trying as long as the lease is held. */
    private CommitResult end(Ownership mine, IdempotencyWrite write) {
        return engine.committer.commit(engine.committer.newCommitId(), write, mine.lease::isHeld);
    }

    /** Records a failure. The outcome is a failure even if the store cannot record it. */
    private Outcome failed(Ownership mine, Throwable cause) {
        try {
            if (!(end(mine, mine.attempt.ownedFailed(mine.claim, cause)) instanceof CommitResult.Applied)) {
                notifyRejected(mine.claim);
            }
        } catch (StoreException e) {
            cause.addSuppressed(e);
        }
        return Engine.failed(cause, mine.attempt);
    }

    /** Records an unknown outcome: the operation may have had its effect, and must not be run again. */
    private Outcome unknown(Ownership mine, Throwable cause) {
        LOG.log(
                Level.ERROR,
                "Outcome unknown: endpoint " + call.key().endpoint() + ", fencing token " + mine.claim.fencingToken(),
                cause);
        CommitResult result = end(mine, mine.attempt.owned(mine.claim, Status.UNKNOWN, null));
        Engine.restoreInterrupt(cause);
        return result instanceof CommitResult.Applied ? Engine.unknown(mine.claim) : leaseLost(mine);
    }

    /** Returns the outcome that counts, after the completion was rejected because another run took over. Starts nothing. */
    private Outcome leaseLost(Ownership mine) {
        IdempotencyRecord claim = mine.claim;
        notifyRejected(claim);
        Outcome lost = new Outcome.Failed(new Lease.LostException(claim.fencingToken()), claim.attempts());
        Lookup found = engine.store.find(claim.key());
        IdempotencyRecord record = found.record();
        if (record == null || !record.fingerprint().equals(claim.fingerprint())) {
            return lost;
        }
        return switch (KeyState.of(found)) {
            case COMPLETED -> Engine.replayed(record);
            case RUNNING -> engine.inProgress();
            case UNKNOWN -> Engine.unknown(record);
            case ABSENT, EXPIRED, ABANDONED, TO_FREEZE, FAILED -> lost;
        };
    }

    private void notifyRejected(IdempotencyRecord claim) {
        engine.notify(listener -> listener.completionRejected(claim.key(), claim.fencingToken()));
    }

    /**
     * Claims the operation. If the response stays lost, nothing is run, and the claim is released in the background in case it was
     * applied.
     */
    private CommitResult claim(Attempt attempt) {
        String commitId = engine.committer.newCommitId();
        try {
            return engine.committer.commit(commitId, attempt.claimed(ifAbandoned), () -> false);
        } catch (StoreException e) {
            if (!e.isCertain()) {
                releaseLater(attempt, commitId, e, engine.time.nanoTime());
            }
            throw e;
        }
    }

    private void release(Ownership mine) {
        try {
            end(mine, mine.attempt.ownedFailed(mine.claim, new Lease.LostException(mine.claim.fencingToken())));
            engine.started(mine.attempt, mine.claim);
        } catch (StoreException e) {
            releaseLater(mine.attempt, mine.claim.commitId(), e, engine.time.nanoTime());
            throw e;
        }
    }

    /** Releases a claim whose response was lost, retrying for the duration of a lease: the store may still be applying it. */
    private void releaseLater(Attempt attempt, String commitId, StoreException cause, long gaveUpAt) {
        engine.time.after(RELEASE_RETRY, () -> {
            boolean leaseOver =
                    engine.time.nanoTime() - gaveUpAt > engine.settings.lease().toNanos();
            if (!isReleased(attempt, commitId, cause) && !leaseOver) {
                releaseLater(attempt, commitId, cause, gaveUpAt);
            }
        });
    }

    private boolean isReleased(Attempt attempt, String commitId, StoreException cause) {
        try {
            IdempotencyRecord record = engine.store.find(call.key()).record();
            if (record == null || !record.commitId().equals(commitId)) {
                return false;
            }
            if (engine.committer.commit(attempt.ownedFailed(record, cause)) instanceof CommitResult.Applied) {
                engine.started(attempt, record);
            }
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }
}
