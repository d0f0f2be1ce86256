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
 * The operations in progress in this process: single flight. Exactly-once rests on the store alone; this saves it work, reports
 * duplicates at once, and wakes those who wait.
 */
final class InFlightCalls {

    /** Large enough that concurrent calls seldom share a bin. */
    private static final int INITIAL_CAPACITY = 1 << 10;

    private final Map<IdempotencyKey, InFlightCall> calls = new ConcurrentHashMap<>(INITIAL_CAPACITY);
    private final Time time;
    private final long longestNanos;

    InFlightCalls(Time time, Duration longest) {
        this.time = time;
        this.longestNanos = longest.toNanos();
    }

    /** A run in progress. */
    static final class InFlightCall {

        private final IdempotencyKey key;
        private final Fingerprint fingerprint;
        private final Thread thread = Thread.currentThread();
        private final long startedAt;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private volatile Heartbeats.@Nullable Heartbeat heartbeat;

        private InFlightCall(Call call, long startedAt) {
            this.key = call.key();
            this.fingerprint = call.fingerprint();
            this.startedAt = startedAt;
        }

        /** Sets the heartbeat that renews the run's lease; null for none. */
        void heartbeat(Heartbeats.@Nullable Heartbeat heartbeat) {
            this.heartbeat = heartbeat;
        }
    }

    /** Applies an action to each heartbeat; returns whether there is one. */
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
     * Registers a run.
     *
     * @return the run, or null if another is in progress
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

    /** The run has ended, or no longer counts; those who wait for it look up the key again. */
    void end(InFlightCall call) {
        calls.remove(call.key, call);
        call.ended.complete(null);
    }

    /**
     * Renews the lease of the run in progress here, after a lookup that found no owner: an operator may have released the key, or erased
     * the user. A run that has lost its lease is no longer in progress.
     */
    void renew(Call call) {
        InFlightCall other = calls.get(call.key());
        Heartbeats.Heartbeat heartbeat = other == null ? null : other.heartbeat;
        if (heartbeat != null) {
            heartbeat.renew();
        }
    }

    /** Reports the run in progress here to a duplicate; a lost race if it has just ended. */
    Step report(Call call, Outcome inProgress) {
        InFlightCall other = calls.get(call.key());
        return other == null ? Step.LOST_RACE : Step.done(outcome(other, call, inProgress));
    }

    /** The same before a lookup; null if there is no run in progress here, or if it was given up. */
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
     * Completes when the run in progress here ends; null if there is none.
     *
     * @throws IllegalStateException if that is the caller itself
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
