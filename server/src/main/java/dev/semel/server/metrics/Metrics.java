package dev.semel.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.Routes;
import io.micrometer.core.instrument.Counter;
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

/** All metrics of a server, served at {@code GET /metrics}. The route requires no token, since metrics contain no user data. */
public final class Metrics implements App, AutoCloseable {

    private static final Map<String, String> HEADERS = Map.of("Content-Type", "text/plain;version=0.0.4;charset=utf-8");

    /** The bucket bounds of all histograms. */
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

    /** @param store the metrics of the store */
    public Metrics(MeterBinder store) {
        store.bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        collections.bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    /** Returns the builder of a histogram. All histograms have the same buckets. */
    static Timer.Builder histogram(String name) {
        return Timer.builder(name).serviceLevelObjectives(BOUNDS);
    }

    /** Registers a gauge that is read at each scrape. */
    public void gauge(String name, String description, Supplier<Number> number) {
        Gauge.builder(name, number).description(description).register(registry);
    }

    /** Registers a counter, and returns what increments it. */
    public Runnable counter(String name, String description) {
        return Counter.builder(name).description(description).register(registry)::increment;
    }

    MeterRegistry registry() {
        return registry;
    }

    /** Returns the metrics of engines. */
    public OnceMeters once() {
        return once;
    }

    /** Returns the metrics of sweeps. */
    public SweepMeters sweeps() {
        return sweeps;
    }

    /**
     * Returns all metrics in the Prometheus text format. The Prometheus client reserves the suffix {@code _created} and removes it from
     * names, so it is restored here.
     */
    String text() {
        return registry.scrape().replace("semel_keys_total", "semel_keys_created_total");
    }

    @Override
    public void declare(Routes routes) {
        routes.getOpen("/metrics", request -> new ApiResponse(200, HEADERS, text().getBytes(UTF_8)));
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
