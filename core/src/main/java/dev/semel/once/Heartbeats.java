package dev.semel.once;

import dev.semel.store.Time;
import dev.semel.store.internal.Committer;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyWrite;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Renews leases while their operations run. Each is renewed after a third of its duration, so two renewals may fail. Most operations end
 * long before that, so one timer checks all of them, and a lease that starts and ends between two ticks costs nothing.
 */
final class Heartbeats {

    private final Committer committer;
    private final Time time;
    private final Duration tick;
    private final long intervalNanos;
    private final long longestNanos;
    private final InFlightCalls inFlight;
    private final AtomicBoolean ticking = new AtomicBoolean();

    Heartbeats(InFlightCalls inFlight, Committer committer, Time time, OnceSettings settings) {
        this.inFlight = inFlight;
        this.committer = committer;
        this.time = time;
        this.tick = settings.lease().dividedBy(6);
        this.intervalNanos = settings.lease().dividedBy(3).toNanos();
        this.longestNanos = settings.longestRun().toNanos();
    }

    /** Renews one lease until it is lost or stopped, or until the run exceeds {@link OnceSettings#longestRun()}. */
    final class Heartbeat {

        private final InFlightCalls.InFlightCall call;
        private final Lease lease;
        private final Supplier<IdempotencyWrite> renewal;
        private final long startedAt;
        private volatile long renewedAt;

        private Heartbeat(
                InFlightCalls.InFlightCall call, Lease lease, long claimedAt, Supplier<IdempotencyWrite> renewal) {
            this.call = call;
            this.lease = lease;
            this.renewal = renewal;
            this.startedAt = claimedAt;
            this.renewedAt = claimedAt;
        }

        private void renewIfDue() {
            long now = time.nanoTime();
            if (now - renewedAt >= intervalNanos) {
                renewedAt = now;
                time.after(Duration.ZERO, this::renew); // on another thread, so that one that hangs delays no other
            }
        }

        /** Renews the lease. A run that has lost its lease is no longer in progress. */
        void renew() {
            long sentAt = time.nanoTime();
            if (sentAt - startedAt + intervalNanos > longestNanos) {
                stop();
                return;
            }
            try {
                if (committer.commit(renewal.get()) instanceof CommitResult.Applied) {
                    lease.heldSince(sentAt);
                } else {
                    lease.lose();
                    inFlight.end(call);
                }
            } catch (RuntimeException e) {
                // the lease has not expired yet, and the next renewal may succeed
            }
        }

        void stop() {
            call.heartbeat(null);
        }
    }

    /**
     * Starts renewing the lease of a run.
     *
     * @param claimedAt when the claim was sent. The lease counts from then, since the response may have taken long
     * @param renewal makes the write that renews the lease
     */
    Heartbeat start(InFlightCalls.InFlightCall call, Lease lease, long claimedAt, Supplier<IdempotencyWrite> renewal) {
        Heartbeat heartbeat = new Heartbeat(call, lease, claimedAt, renewal);
        call.heartbeat(heartbeat);
        heartbeat.renewIfDue();
        startTicking();
        return heartbeat;
    }

    private void startTicking() {
        if (!ticking.get() && ticking.compareAndSet(false, true)) {
            time.after(tick, this::tick);
        }
    }

    /** Renews all leases that are due. A run that starts too late to be seen by this tick starts the timer again. */
    private void tick() {
        ticking.set(false);
        if (inFlight.forEachHeartbeat(Heartbeat::renewIfDue)) {
            startTicking();
        }
    }
}
