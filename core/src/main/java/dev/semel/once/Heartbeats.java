package dev.semel.once;

import dev.semel.store.CommitResult;
import dev.semel.store.OnceWrite;
import dev.semel.store.Time;
import dev.semel.store.Transactions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Keeps leases up while their operations run: extends each after a third of its length, so that two tries may go wrong. Most
 * operations are done long before that; so there is one timer for all, which looks at what is under way, and a lease that begins and
 * ends between two looks costs nothing.
 */
final class Heartbeats {

    private final Transactions transactions;
    private final Time time;
    private final Duration tick;
    private final long pauseNanos;
    private final long longestNanos;
    private final Flights flights;
    private final AtomicBoolean ticking = new AtomicBoolean();

    Heartbeats(Flights flights, Transactions transactions, Time time, OnceSettings settings) {
        this.flights = flights;
        this.transactions = transactions;
        this.time = time;
        this.tick = settings.lease().dividedBy(6);
        this.pauseNanos = settings.lease().dividedBy(3).toNanos();
        this.longestNanos = settings.longestRun().toNanos();
    }

    /** A lease that is kept up until it is lost, closed, or older than any run may be. */
    final class Beat {

        private final Flights.Flight flight;
        private final Lease lease;
        private final Supplier<OnceWrite> extension;
        private final long begun = time.nanoTime();
        private volatile long lastBeat = begun;

        private Beat(Flights.Flight flight, Lease lease, Supplier<OnceWrite> extension) {
            this.flight = flight;
            this.lease = lease;
            this.extension = extension;
        }

        private boolean isDue() {
            return time.nanoTime() - lastBeat >= pauseNanos;
        }

        private void beat() {
            long asked = time.nanoTime();
            if (asked - begun + pauseNanos > longestNanos) {
                close();
                return;
            }
            try {
                if (transactions.commit(extension.get()) instanceof CommitResult.Applied) {
                    lease.heldSince(asked);
                } else {
                    lease.lose();
                    close();
                }
            } catch (RuntimeException e) {
                // the lease goes on for a while, and the next beat may get through
            }
        }

        void close() {
            flight.keepUp(null);
        }
    }

    /**
     * Keeps up the lease of a run.
     *
     * @param extension what is written to extend it
     */
    Beat start(Flights.Flight flight, Lease lease, Supplier<OnceWrite> extension) {
        Beat beat = new Beat(flight, lease, extension);
        flight.keepUp(beat);
        startTicking();
        return beat;
    }

    private void startTicking() {
        if (!ticking.get() && ticking.compareAndSet(false, true)) {
            time.after(tick, this::tick);
        }
    }

    /** Whoever begins from here on and is not met starts the timer again. */
    private void tick() {
        ticking.set(false);
        boolean any = flights.forEachBeat(beat -> {
            if (beat.isDue()) {
                beat.lastBeat = time.nanoTime();
                time.after(Duration.ZERO, beat::beat); // on a thread of its own: one that hangs holds up no other
            }
        });
        if (any) {
            startTicking();
        }
    }
}
