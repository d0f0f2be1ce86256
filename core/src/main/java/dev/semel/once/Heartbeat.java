package dev.semel.once;

import dev.semel.store.CommitResult;
import dev.semel.store.OnceWrite;
import dev.semel.store.Time;
import dev.semel.store.Transactions;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a lease up while its operation runs: extends it each third of its length, so that two tries may go wrong. Ends with the
 * operation, when the lease is lost, or when the operation takes longer than any may.
 */
final class Heartbeat implements AutoCloseable {

    private final Transactions transactions;
    private final Time time;
    private final OnceSettings settings;
    private final Lease lease;
    private final Supplier<OnceWrite> extension;
    private final long begun;

    private @Nullable Runnable cancelNext;
    private boolean stopped;

    Heartbeat(Transactions transactions, Time time, OnceSettings settings, Lease lease, Supplier<OnceWrite> extension) {
        this.transactions = transactions;
        this.time = time;
        this.settings = settings;
        this.lease = lease;
        this.extension = extension;
        this.begun = time.nanoTime();
    }

    void start() {
        scheduleNext();
    }

    private synchronized void scheduleNext() {
        Duration pause = settings.lease().dividedBy(3);
        boolean tooLong = time.nanoTime() - begun + pause.toNanos()
                > settings.longestRun().toNanos();
        if (!stopped && !tooLong) {
            cancelNext = time.after(pause, this::beat);
        }
    }

    private void beat() {
        if (isStopped()) {
            return;
        }
        long asked = time.nanoTime();
        try {
            if (transactions.commit(extension.get()) instanceof CommitResult.Applied) {
                lease.heldSince(asked);
            } else {
                lease.lose();
                return;
            }
        } catch (RuntimeException e) {
            // the lease goes on for a while, and the next beat may get through
        }
        scheduleNext();
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    @Override
    public synchronized void close() {
        stopped = true;
        if (cancelNext != null) {
            cancelNext.run();
        }
    }
}
