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
        private final long begun;
        private volatile long lastBeat;

        private Beat(Flights.Flight flight, Lease lease, long asked, Supplier<OnceWrite> extension) {
            this.flight = flight;
            this.lease = lease;
            this.extension = extension;
            this.begun = asked;
            this.lastBeat = asked;
        }

        private void beatIfDue() {
            long now = time.nanoTime();
            if (now - lastBeat >= pauseNanos) {
                lastBeat = now;
                time.after(Duration.ZERO, this::beat); // on a thread of its own: one that hangs holds up no other
            }
        }

        /** Extends the lease; a run that has lost it is in nobody's way any more. */
        void beat() {
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
                    flights.end(flight);
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
     * @param asked when it was asked for: from then on it counts, and the answer may have taken long
     * @param extension what is written to extend it
     */
    Beat start(Flights.Flight flight, Lease lease, long asked, Supplier<OnceWrite> extension) {
        Beat beat = new Beat(flight, lease, asked, extension);
        flight.keepUp(beat);
        beat.beatIfDue();
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
        if (flights.forEachBeat(Beat::beatIfDue)) {
            startTicking();
        }
    }
}
