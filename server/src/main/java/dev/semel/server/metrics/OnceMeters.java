package dev.semel.server.metrics;

import static java.util.stream.Collectors.toUnmodifiableMap;

import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts the events of engines. All meters exist from the start, so that the first event shows as an increase from zero. */
public final class OnceMeters implements OnceListener {

    private final Map<Class<?>, Counter> outcomes;
    private final Timer time;
    private final LongAdder inFlight = new LongAdder();
    private final Counter aborted;
    private final Counter keysCreated;
    private final Counter expiredKeys;
    private final Counter takeovers;
    private final Counter lateCompletions;

    OnceMeters(MeterRegistry registry) {
        this.outcomes = Outcome.names().entrySet().stream()
                .collect(toUnmodifiableMap(
                        Map.Entry::getKey,
                        kind -> Counter.builder("semel.once.total")
                                .description("Calls by outcome")
                                .tag("outcome", kind.getValue())
                                .register(registry)));
        this.time = Metrics.histogram("semel.once.seconds")
                .description("Duration of calls that have an outcome")
                .register(registry);
        Gauge.builder("semel.once.in.flight", inFlight, LongAdder::sum)
                .description("Calls in progress, including those that wait for another")
                .register(registry);
        this.aborted = counter(
                registry, "semel.once.aborted", "Calls aborted without an outcome, mostly because the store failed");
        this.keysCreated = counter(registry, "semel.keys.created.total", "New keys that were started");
        this.expiredKeys = counter(registry, "semel.ttl.violations", "Expired keys that were used again");
        this.takeovers = counter(registry, "semel.lease.takeovers", "Operations taken over from a crashed owner");
        this.lateCompletions = counter(
                registry,
                "semel.lease.late.completions",
                "Completions rejected because the operation had been taken over or frozen");
    }

    private static Counter counter(MeterRegistry registry, String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }

    @Override
    public void called(IdempotencyKey key) {
        inFlight.increment();
    }

    @Override
    public void aborted(IdempotencyKey key, Throwable cause) {
        inFlight.decrement();
        aborted.increment();
    }

    @Override
    public void ended(IdempotencyKey key, Outcome outcome, Duration took) {
        inFlight.decrement();
        Objects.requireNonNull(outcomes.get(outcome.getClass())).increment();
        time.record(took);
        if (outcome instanceof Outcome.Expired) {
            expiredKeys.increment();
        }
    }

    @Override
    public void keyCreated(IdempotencyKey key) {
        keysCreated.increment();
    }

    @Override
    public void expiredKeyReused(IdempotencyKey key) {
        expiredKeys.increment();
    }

    @Override
    public void takenOver(IdempotencyKey key, long fencingToken) {
        takeovers.increment();
    }

    @Override
    public void completionRejected(IdempotencyKey key, long fencingToken) {
        lateCompletions.increment();
    }
}
