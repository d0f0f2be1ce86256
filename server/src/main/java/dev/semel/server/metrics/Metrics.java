package dev.semel.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.server.web.Answer;
import dev.semel.server.web.App;
import dev.semel.server.web.Routes;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

/** Everything that a server counts and measures. {@code GET /metrics} tells it to whoever asks, since there is nobody's data in it. */
public final class Metrics implements App, AutoCloseable {

    private static final Map<String, String> HEADERS = Map.of("Content-Type", "text/plain;version=0.0.4;charset=utf-8");

    /** The bounds of histograms. */
    private static final Duration[] BOUNDS = {
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2_500),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30)
    };

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final OnceMeters once = new OnceMeters(registry);
    private final SweepMeters sweeps = new SweepMeters(registry);
    private final JvmGcMetrics collections = new JvmGcMetrics();

    /** @param store what the store has to tell */
    public Metrics(MeterBinder store) {
        store.bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        collections.bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    /** A time of which a histogram is made, with the same bounds as all others. */
    static Timer.Builder histogram(String name) {
        return Timer.builder(name).serviceLevelObjectives(BOUNDS);
    }

    /** Tells a number that goes up and down. */
    public void gauge(String name, String description, Supplier<Number> number) {
        Gauge.builder(name, number).description(description).register(registry);
    }

    MeterRegistry registry() {
        return registry;
    }

    /** What engines tell. */
    public OnceMeters once() {
        return once;
    }

    /** What clean-ups tell. */
    public SweepMeters sweeps() {
        return sweeps;
    }

    /** All of it as Prometheus reads it. Its client takes {@code _created} for an ending of its own and leaves it out of names. */
    String text() {
        return registry.scrape().replace("semel_keys_total", "semel_keys_created_total");
    }

    @Override
    public void declare(Routes routes) {
        routes.getOpen("/metrics", request -> new Answer(200, HEADERS, text().getBytes(UTF_8)));
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
