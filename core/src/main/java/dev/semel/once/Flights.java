package dev.semel.once;

import dev.semel.json.Fingerprint;
import dev.semel.store.OnceKey;
import dev.semel.store.Time;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What is under way in this process. The store alone makes operations happen once; this only spares it work, lets duplicates be
 * told at once, and wakes those who wait.
 */
final class Flights {

    private final Map<OnceKey, Flight> underWay = new ConcurrentHashMap<>();
    private final Time time;
    private final long longestNanos;

    Flights(Time time, Duration longest) {
        this.time = time;
        this.longestNanos = longest.toNanos();
    }

    /** A run that is under way. */
    static final class Flight {

        private final Fingerprint fingerprint;
        private final Thread thread = Thread.currentThread();
        private final long begun;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        private Flight(Fingerprint fingerprint, long begun) {
            this.fingerprint = fingerprint;
            this.begun = begun;
        }
    }

    /**
     * Registers a run.
     *
     * @return the run, or null if another is under way already
     */
    @Nullable Flight begin(Call call) {
        Flight mine = new Flight(call.fingerprint(), time.nanoTime());
        Flight other = underWay.putIfAbsent(call.key(), mine);
        if (other == null) {
            return mine;
        }
        boolean givenUp = mine.begun - other.begun > longestNanos;
        return givenUp && underWay.replace(call.key(), other, mine) ? mine : null;
    }

    /** The run is over, whatever came of it; those who wait for it look again. */
    void end(Call call, Flight flight) {
        underWay.remove(call.key(), flight);
        flight.ended.complete(null);
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
