package dev.semel.once;

import dev.semel.json.Fingerprint;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Time;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The operations in progress in this process. Single flight: of concurrent calls with one key, only one goes to the store. It reports
 * duplicates at once and wakes waiting calls. Exactly-once does not depend on it.
 */
final class InFlightCalls {

    /** So large that concurrent calls seldom share a bin of the map. */
    private static final int INITIAL_CAPACITY = 1 << 10;

    private final Map<IdempotencyKey, InFlightCall> calls = new ConcurrentHashMap<>(INITIAL_CAPACITY);
    private final Time time;
    private final long longestNanos;

    InFlightCalls(Time time, Duration longest) {
        this.time = time;
        this.longestNanos = longest.toNanos();
    }

    /** A run in progress in this process. */
    static final class InFlightCall {

        private final IdempotencyKey key;
        private final Fingerprint fingerprint;
        private volatile @Nullable Thread thread = Thread.currentThread();
        private final long startedAt;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private volatile Heartbeats.@Nullable Heartbeat heartbeat;

        private InFlightCall(Call call, long startedAt) {
            this.key = call.key();
            this.fingerprint = call.fingerprint();
            this.startedAt = startedAt;
        }

        /** Lets the run continue without its thread, which may then call with the same key. */
        void leaveThread() {
            thread = null;
        }

        /** Sets the heartbeat that renews the run's lease; null if it has none. */
        void heartbeat(Heartbeats.@Nullable Heartbeat heartbeat) {
            this.heartbeat = heartbeat;
        }
    }

    /** Applies an action to each heartbeat, and returns whether there is one. */
    boolean forEachHeartbeat(Consumer<Heartbeats.Heartbeat> action) {
        boolean any = false;
        for (InFlightCall call : calls.values()) {
            Heartbeats.Heartbeat heartbeat = call.heartbeat;
            if (heartbeat != null) {
                any = true;
                action.accept(heartbeat);
            }
        }
        return any;
    }

    /**
     * Registers a run of the calling thread.
     *
     * @return the run, or null if another run with the key is in progress
     */
    @Nullable InFlightCall start(Call call) {
        InFlightCall mine = new InFlightCall(call, time.nanoTime());
        InFlightCall other = calls.putIfAbsent(call.key(), mine);
        if (other == null) {
            return mine;
        }
        boolean givenUp = mine.startedAt - other.startedAt > longestNanos;
        return givenUp && calls.replace(call.key(), other, mine) ? mine : null;
    }

    /** Removes a run that has ended or lost its lease. Calls that wait for it look up the key again. */
    void end(InFlightCall call) {
        calls.remove(call.key, call);
        call.ended.complete(null);
    }

    /**
     * Renews the lease of the run in progress here, after a lookup that found no owner: an operator may have released the key or erased
     * the user. A run that has lost its lease is no longer in progress.
     */
    void renew(Call call) {
        InFlightCall other = calls.get(call.key());
        Heartbeats.Heartbeat heartbeat = other == null ? null : other.heartbeat;
        if (heartbeat != null) {
            heartbeat.renew();
        }
    }

    /** Returns the outcome of a duplicate of the run in progress here; a lost race if that run has just ended. */
    Step report(Call call, Outcome inProgress) {
        InFlightCall other = calls.get(call.key());
        return other == null ? Step.LOST_RACE : Step.done(outcome(other, call, inProgress));
    }

    /** Returns the outcome of a duplicate without a lookup; null if no run is in progress here, or if it exceeds the longest run. */
    @Nullable Outcome outcome(Call call, Outcome inProgress) {
        InFlightCall other = calls.get(call.key());
        return other == null || time.nanoTime() - other.startedAt > longestNanos
                ? null
                : outcome(other, call, inProgress);
    }

    private static Outcome outcome(InFlightCall other, Call call, Outcome inProgress) {
        return other.fingerprint.equals(call.fingerprint()) ? inProgress : new Outcome.Mismatch();
    }

    /**
     * Returns a future that completes when the run in progress here ends; null if there is none.
     *
     * @throws IllegalStateException if the calling thread is that run
     */
    @Nullable CompletableFuture<Void> end(Call call) {
        InFlightCall other = calls.get(call.key());
        if (other == null) {
            return null;
        }
        if (other.thread == Thread.currentThread()) {
            throw new IllegalStateException("An operation calls itself with its own key");
        }
        return other.ended;
    }
}
