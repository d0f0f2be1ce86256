package dev.semel.once;

import dev.semel.json.Fingerprint;
import dev.semel.store.OnceKey;
import dev.semel.store.Time;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is under way in this process. The store alone makes operations happen once; this only spares it work, lets duplicates be
 * told at once, and wakes those who wait.
 */
final class Flights {

    /** So many that those who come and go at the same time seldom touch the same memory. */
    private static final int PLACES = 1 << 10;

    private final Map<OnceKey, Flight> underWay = new ConcurrentHashMap<>(PLACES);
    private final Time time;
    private final long longestNanos;

    Flights(Time time, Duration longest) {
        this.time = time;
        this.longestNanos = longest.toNanos();
    }

    /** A run that is under way. */
    static final class Flight {

        private final OnceKey key;
        private final Fingerprint fingerprint;
        private final Thread thread = Thread.currentThread();
        private final long begun;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private volatile Heartbeats.@Nullable Beat beat;

        private Flight(Call call, long begun) {
            this.key = call.key();
            this.fingerprint = call.fingerprint();
            this.begun = begun;
        }

        /** Has a lease kept up from now on, or none any more. */
        void keepUp(Heartbeats.@Nullable Beat beat) {
            this.beat = beat;
        }
    }

    /** Does something with each lease that is kept up; returns whether there is one. */
    boolean forEachBeat(Consumer<Heartbeats.Beat> action) {
        boolean any = false;
        for (Flight flight : underWay.values()) {
            Heartbeats.Beat beat = flight.beat;
            if (beat != null) {
                any = true;
                action.accept(beat);
            }
        }
        return any;
    }

    /**
     * Registers a run.
     *
     * @return the run, or null if another is under way already
     */
    @Nullable Flight begin(Call call) {
        Flight mine = new Flight(call, time.nanoTime());
        Flight other = underWay.putIfAbsent(call.key(), mine);
        if (other == null) {
            return mine;
        }
        boolean givenUp = mine.begun - other.begun > longestNanos;
        return givenUp && underWay.replace(call.key(), other, mine) ? mine : null;
    }

    /** The run is over, whatever came of it, or does not count any more; those who wait for it look again. */
    void end(Flight flight) {
        underWay.remove(flight.key, flight);
        flight.ended.complete(null);
    }

    /**
     * Makes sure that the run under way here still owns its operation, for who has seen that nobody does: an operator may have released
     * it, or the user was erased. If it does not, it is under way no longer.
     */
    void check(Call call) {
        Flight flight = underWay.get(call.key());
        Heartbeats.Beat beat = flight == null ? null : flight.beat;
        if (beat != null) {
            beat.beat();
        }
    }

    /** What a call is told of the run under way here; null if there is none any more. */
    @Nullable Outcome told(Call call, Duration retryHint) {
        Flight flight = underWay.get(call.key());
        if (flight == null) {
            return null;
        }
        boolean same = flight.fingerprint.equals(call.fingerprint());
        return same ? new Outcome.InProgress(retryHint) : new Outcome.Mismatch();
    }

    /** The same, for who has not looked at the key; null also if the run under way has been given up. */
    @Nullable Outcome toldIfUnderWay(Call call, Duration retryHint) {
        Flight flight = underWay.get(call.key());
        return flight == null || time.nanoTime() - flight.begun > longestNanos ? null : told(call, retryHint);
    }

    /** When the run under way ends, if there is one here. */
    @Nullable CompletableFuture<Void> end(Call call) {
        Flight flight = underWay.get(call.key());
        if (flight == null) {
            return null;
        }
        if (flight.thread == Thread.currentThread()) {
            throw new ReentryException();
        }
        return flight.ended;
    }
}
