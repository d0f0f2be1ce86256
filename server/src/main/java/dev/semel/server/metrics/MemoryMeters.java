package dev.semel.server.metrics;

import dev.semel.memory.MemoryStore;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/** Metrics of the memory store: how much memory it uses, and its limit. */
public final class MemoryMeters implements MeterBinder {

    private final MemoryStore store;

    public MemoryMeters(MemoryStore store) {
        this.store = store;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("semel.memory.taken.bytes", store, MemoryStore::takenBytes)
                .description("Estimated size of the data in the memory store")
                .register(registry);
        Gauge.builder("semel.memory.most.bytes", store, MemoryStore::mostBytes)
                .description("Maximum size of the data in the memory store")
                .register(registry);
    }
}
