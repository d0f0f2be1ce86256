package dev.semel.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/** Counts what clean-ups remove. */
public final class SweepMeters {

    private static final List<String> TABLES =
            List.of("idempotency_keys", "tombstones", "documents", "receipts", "posts");

    private final MeterRegistry registry;

    SweepMeters(MeterRegistry registry) {
        this.registry = registry;
        TABLES.forEach(this::counter);
    }

    private Counter counter(String table) {
        return Counter.builder("semel.sweep.deleted")
                .description("Rows that were removed since they were past their time")
                .tag("table", table)
                .register(registry);
    }

    /**
     * Rows of a table were removed.
     *
     * @param table as {@code cleanup_logs} calls it
     */
    public void swept(String table, long deleted) {
        counter(table).increment((double) deleted);
    }
}
