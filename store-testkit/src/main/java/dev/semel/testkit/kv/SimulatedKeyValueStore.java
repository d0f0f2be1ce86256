package dev.semel.testkit.kv;

import dev.semel.json.Json;
import dev.semel.kv.KeyValueStore;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A key-value store in memory whose staleness, latency and faults can be set. It measures all times by a given clock. Thread-safe.
 *
 * <p>With a staleness, every read returns what was current that long ago.
 */
public final class SimulatedKeyValueStore implements KeyValueStore {

    private final Time time;
    private final Map<String, Deque<Version>> values = new HashMap<>();
    private final List<String> log = new ArrayList<>();
    private final Deque<Plan> plans = new ArrayDeque<>();
    private long stalenessNanos;
    private Duration latency = Duration.ZERO;

    private record Version(@Nullable Json value, long from, long until) {}

    /** What happens to the next operation whose description begins with a given text. */
    private record Plan(String operation, Fault fault, Runnable before) {}

    /** A fault of one operation. */
    public enum Fault {
        /** The operation succeeds, as it does without a plan. */
        NONE,
        /** It throws, and is certain not to be applied. */
        REJECTED,
        /** It throws, and is not applied. */
        LOST_REQUEST,
        /** It throws after it was applied. */
        LOST_RESPONSE
    }

    /** @param time measures latency, staleness and TTLs */
    public SimulatedKeyValueStore(Time time) {
        this.time = time;
    }

    /** Sets how old the values are that reads return. */
    public synchronized SimulatedKeyValueStore withStaleness(Duration staleness) {
        this.stalenessNanos = staleness.toNanos();
        return this;
    }

    /** Sets how long every operation takes. It is applied at the end. */
    public synchronized SimulatedKeyValueStore withLatency(Duration latency) {
        this.latency = latency;
        return this;
    }

    /** Plans a fault of the next operation whose description, such as {@code put claim:}, begins with a text. */
    public void fail(String operation, Fault fault) {
        plan(operation, fault, () -> {});
    }

    /** Plans an action before the next operation whose description begins with a text is applied. */
    public void before(String operation, Runnable action) {
        plan(operation, Fault.NONE, action);
    }

    private synchronized void plan(String operation, Fault fault, Runnable before) {
        plans.add(new Plan(operation, fault, before));
    }

    /** Returns all operations in order, such as {@code get post:260107-bc}. */
    public synchronized List<String> log() {
        return List.copyOf(log);
    }

    /** Returns the current value of a key, however stale reads are. */
    public synchronized Optional<Json> current(String key) {
        return Optional.ofNullable(at(key, time.nanoTime()));
    }

    @Override
    public Optional<Json> get(String key) {
        return run("get", key, () -> Optional.ofNullable(at(key, time.nanoTime() - stalenessNanos)));
    }

    @Override
    public void put(String key, Json value, @Nullable Duration ttl) {
        run("put", key, () -> {
            long now = time.nanoTime();
            return set(key, new Version(value, now, ttl == null ? Long.MAX_VALUE : now + ttl.toNanos()));
        });
    }

    @Override
    public void delete(String key) {
        run("delete", key, () -> set(key, new Version(null, time.nanoTime(), Long.MAX_VALUE)));
    }

    private <T> T run(String name, String key, Supplier<T> operation) {
        DocumentId.checkVisible("key", key, LONGEST_KEY);
        String description = name + " " + key;
        Plan plan = planFor(description);
        plan.before.run();
        pause();
        if (plan.fault == Fault.REJECTED) {
            throw StoreException.rejected("The store rejects " + description);
        }
        if (plan.fault == Fault.LOST_REQUEST) {
            throw StoreException.unavailable("The request was lost: " + description, null);
        }
        synchronized (this) {
            T result = operation.get();
            if (plan.fault == Fault.LOST_RESPONSE) {
                throw StoreException.unavailable("The response was lost: " + description, null);
            }
            return result;
        }
    }

    private synchronized Plan planFor(String description) {
        log.add(description);
        for (Plan plan : plans) {
            if (description.startsWith(plan.operation)) {
                plans.remove(plan);
                return plan;
            }
        }
        return new Plan("", Fault.NONE, () -> {});
    }

    private void pause() {
        Duration pause;
        synchronized (this) {
            pause = latency;
        }
        if (!pause.isZero()) {
            try {
                time.sleep(pause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw StoreException.unavailable("Interrupted", null);
            }
        }
    }

    private boolean set(String key, Version version) {
        values.computeIfAbsent(key, k -> new ArrayDeque<>()).addFirst(version);
        return true;
    }

    private @Nullable Json at(String key, long moment) {
        for (Version version : values.getOrDefault(key, new ArrayDeque<>())) {
            if (version.from <= moment) {
                return moment < version.until ? version.value : null;
            }
        }
        return null;
    }
}
