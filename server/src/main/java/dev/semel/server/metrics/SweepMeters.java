package dev.semel.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/** Counts clean-ups, and what they remove. */
public final class SweepMeters {

    private static final List<String> TABLES =
            List.of("idempotency_keys", "tombstones", "documents", "receipts", "posts");

    private final MeterRegistry registry;
    private final Counter complete;
    private final Counter brokenOff;

    SweepMeters(MeterRegistry registry) {
        this.registry = registry;
        this.complete = sweeps("complete");
        this.brokenOff = sweeps("broken_off");
        TABLES.forEach(this::counter);
    }

    private Counter sweeps(String result) {
        return Counter.builder("semel.sweeps")
                .description("Sweeps that are over, by whether they went through everything")
                .tag("result", result)
                .register(registry);
    }

    private Counter counter(String table) {
        return Counter.builder("semel.sweep.deleted")
                .description("Rows that were removed since they were past their time")
                .tag("table", table)
                .register(registry);
    }

    /** A sweep is over. */
    public void ended(boolean complete) {
        (complete ? this.complete : brokenOff).increment();
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
