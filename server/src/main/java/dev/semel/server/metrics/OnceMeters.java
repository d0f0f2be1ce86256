package dev.semel.server.metrics;

import static java.util.stream.Collectors.toUnmodifiableMap;

import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.once.OutcomeName;
import dev.semel.store.OnceKey;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts what engines do, several together. Everything is there from the start, so that a rise from nothing is seen as one. */
public final class OnceMeters implements OnceListener {

    private final Map<Class<?>, Counter> outcomes;
    private final Timer time;
    private final LongAdder inFlight = new LongAdder();
    private final Counter brokenOff;
    private final Counter keysCreated;
    private final Counter expiredKeys;
    private final Counter takeovers;
    private final Counter lateCompletions;

    OnceMeters(MeterRegistry registry) {
        this.outcomes = OutcomeName.all().entrySet().stream()
                .collect(toUnmodifiableMap(
                        Map.Entry::getKey,
                        kind -> Counter.builder("semel.once.total")
                                .description("Calls that came to an end, by what became of them")
                                .tag("outcome", kind.getValue())
                                .register(registry)));
        this.time = Metrics.histogram("semel.once.seconds")
                .description("How long calls took that came to an end")
                .register(registry);
        Gauge.builder("semel.once.in.flight", inFlight, LongAdder::sum)
                .description("Calls under way, with those that wait for another")
                .register(registry);
        this.brokenOff =
                counter(registry, "semel.once.broken.off", "Calls that broke off, mostly since the store failed");
        this.keysCreated = counter(registry, "semel.keys.created.total", "Keys that were not there before");
        this.expiredKeys = counter(registry, "semel.ttl.violations", "Keys that were used after their time was over");
        this.takeovers =
                counter(registry, "semel.lease.takeovers", "Abandoned operations that somebody else has begun again");
        this.lateCompletions = counter(
                registry,
                "semel.lease.late.completions",
                "Operations whose owner came back after they had been taken over or frozen");
    }

    private static Counter counter(MeterRegistry registry, String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }

    @Override
    public void called(OnceKey key) {
        inFlight.increment();
    }

    @Override
    public void brokeOff(OnceKey key, Throwable cause) {
        inFlight.decrement();
        brokenOff.increment();
    }

    @Override
    public void ended(OnceKey key, Outcome outcome, Duration took) {
        inFlight.decrement();
        Objects.requireNonNull(outcomes.get(outcome.getClass())).increment();
        time.record(took);
        if (outcome instanceof Outcome.Expired) {
            expiredKeys.increment();
        }
    }

    @Override
    public void keyCreated(OnceKey key) {
        keysCreated.increment();
    }

    @Override
    public void expiredKeyReused(OnceKey key) {
        expiredKeys.increment();
    }

    @Override
    public void takenOver(OnceKey key, long fence) {
        takeovers.increment();
    }

    @Override
    public void completionRefused(OnceKey key, long fence) {
        lateCompletions.increment();
    }
}
