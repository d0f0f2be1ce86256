package dev.semel.server.metrics;

import dev.semel.store.admin.StoreAdmin;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/** Counts sweeps and the rows that they delete. */
public final class SweepMeters {

    private static final List<String> TABLES =
            List.of(StoreAdmin.KEYS, StoreAdmin.TOMBSTONES, StoreAdmin.DOCUMENTS, StoreAdmin.COMMIT_LOG, "posts");

    private final MeterRegistry registry;
    private final Counter complete;
    private final Counter aborted;

    SweepMeters(MeterRegistry registry) {
        this.registry = registry;
        this.complete = sweeps("complete");
        this.aborted = sweeps("aborted");
        TABLES.forEach(this::counter);
    }

    private Counter sweeps(String result) {
        return Counter.builder("semel.sweeps")
                .description("Sweeps, by whether they completed")
                .tag("result", result)
                .register(registry);
    }

    private Counter counter(String table) {
        return Counter.builder("semel.sweep.deleted")
                .description("Expired rows that were deleted")
                .tag("table", table)
                .register(registry);
    }

    /**
     * Counts a sweep that has ended.
     *
     * @param complete false if it failed or was interrupted
     */
    public void ended(boolean complete) {
        (complete ? this.complete : aborted).increment();
    }

    /**
     * Counts deleted rows.
     *
     * @param table the name of the table in {@code cleanup_logs}
     */
    public void swept(String table, long deleted) {
        counter(table).increment((double) deleted);
    }
}
