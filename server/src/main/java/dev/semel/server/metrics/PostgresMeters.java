package dev.semel.server.metrics;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.postgres.StatementListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of the PostgreSQL store: duration and failures of statements by purpose, and use of the connection pool. Records nothing until it
 * is bound to a registry.
 */
public final class PostgresMeters implements StatementListener, MeterBinder {

    private final HikariDataSource pool;
    private volatile Map<Work, Meters> byWork = Map.of();

    private record Meters(Timer time, Counter failures) {}

    public PostgresMeters(HikariDataSource pool) {
        this.pool = pool;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Map<Work, Meters> made = new EnumMap<>(Work.class);
        for (Work work : Work.values()) {
            String name = work.name().toLowerCase(Locale.ROOT);
            made.put(
                    work,
                    new Meters(
                            Metrics.histogram("semel.postgres.statement.seconds")
                                    .description("Duration of statements, each a transaction and a round trip")
                                    .tag("work", name)
                                    .register(registry),
                            Counter.builder("semel.postgres.statement.failures")
                                    .description("Statements that failed or got no response from the database")
                                    .tag("work", name)
                                    .register(registry)));
        }
        byWork = Collections.unmodifiableMap(made);
        pool.setMetricRegistry(registry);
    }

    @Override
    public void ran(Work work, long nanos, boolean failed) {
        @Nullable Meters meters = byWork.get(work);
        if (meters != null) {
            meters.time.record(nanos, TimeUnit.NANOSECONDS);
            if (failed) {
                meters.failures.increment();
            }
        }
    }
}
