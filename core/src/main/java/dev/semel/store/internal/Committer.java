package dev.semel.store.internal;

import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OnceStore;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Sends commits to a store. If a response is lost, sends the commit again with the same commit id. */
public final class Committer {

    private static final List<Duration> RESEND_BACKOFF =
            List.of(Duration.ZERO, Duration.ofMillis(20), Duration.ofMillis(200));

    private final OnceStore store;
    private final Time time;
    private final Supplier<String> commitIds;

    /** Sends commits to a store, with a new tid62 as the id of each. */
    public Committer(OnceStore store, Time time) {
        this(store, time, new UniqueIds(time)::next);
    }

    /**
     * Sends commits to a store.
     *
     * @param commitIds makes commit ids that are unique in the store
     */
    public Committer(OnceStore store, Time time, Supplier<String> commitIds) {
        this.store = store;
        this.time = time;
        this.commitIds = commitIds;
    }

    /** Returns a new commit id. */
    public String newCommitId() {
        return commitIds.get();
    }

    /**
     * Writes an idempotency record.
     *
     * @throws StoreException if the store keeps failing
     */
    public CommitResult commit(IdempotencyWrite write) {
        return commit(newCommitId(), write, () -> false);
    }

    /**
     * Writes an idempotency record under a known commit id.
     *
     * @param worthwhile whether to keep sending after the usual number of attempts has failed
     * @throws StoreException if the store keeps failing
     */
    public CommitResult commit(String commitId, IdempotencyWrite write, BooleanSupplier worthwhile) {
        return send(() -> store.compareAndSet(commitId, write), worthwhile);
    }

    /**
     * Sends a commit until its result is known. An interrupt does not end this; it is restored when this returns.
     *
     * @throws StoreException if the store keeps failing
     */
    public CommitResult send(Supplier<CommitResult> commit, BooleanSupplier worthwhile) {
        boolean interrupted = false;
        try {
            for (int sent = 0; ; sent++) {
                interrupted |= Thread.interrupted(); // an interrupted thread does not pause, and some drivers drop its
                // connection
                try {
                    return trySend(commit);
                } catch (StoreException e) {
                    boolean giveUp = sent >= RESEND_BACKOFF.size() && !worthwhile.getAsBoolean();
                    if (e.isCertain() || giveUp) {
                        throw e;
                    }
                }
                pause(RESEND_BACKOFF.get(Math.min(sent, RESEND_BACKOFF.size() - 1)));
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Sends a commit once. After any exception but a {@link StoreException}, it is unknown whether the commit was applied. */
    private static CommitResult trySend(Supplier<CommitResult> commit) {
        try {
            return commit.get();
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            String reason = e.getMessage() == null ? "" : ": " + e.getMessage();
            throw StoreException.unavailable("The store failed unexpectedly" + reason, e);
        }
    }

    /** Pauses. An interrupted thread continues at once and stays interrupted. */
    public void pause(Duration pause) {
        try {
            time.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
