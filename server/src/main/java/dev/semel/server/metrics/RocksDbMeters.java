package dev.semel.server.metrics;

import dev.semel.rocksdb.RocksDbStore;
import dev.semel.store.StoreException;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The metrics of an embedded store, under the names that the store reports. Durations are converted to seconds. */
public final class RocksDbMeters implements MeterBinder {

    /** All other metrics are counters. */
    private static final Set<String> GAUGES =
            Set.of("keys", "documents", "disk.bytes", "disk.free.bytes", "memory.bytes", "memory.buffers.bytes");

    private static final String MICROS = ".micros";

    private final RocksDbStore store;
    private final Set<String> alreadyRead = new HashSet<>();
    private Map<String, Long> last;

    public RocksDbMeters(RocksDbStore store) {
        this.store = store;
        this.last = store.metrics();
        alreadyRead.addAll(last.keySet());
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (String name : last.keySet()) {
            if (GAUGES.contains(name)) {
                Gauge.builder("semel.rocksdb." + name, this, meters -> meters.read(name))
                        .register(registry);
            } else if (name.endsWith(MICROS)) {
                String seconds = name.substring(0, name.length() - MICROS.length()) + ".seconds";
                FunctionCounter.builder("semel.rocksdb." + seconds, this, meters -> meters.read(name) / 1e6)
                        .register(registry);
            } else {
                FunctionCounter.builder("semel.rocksdb." + name, this, meters -> meters.read(name))
                        .register(registry);
            }
        }
    }

    /**
     * Reads a metric. All metrics are read from the store together when one of them is read for the second time, so the values of a scrape
     * belong to one moment. If the store is closed or fails, the last values are returned.
     */
    private synchronized double read(String name) {
        if (!alreadyRead.add(name)) {
            alreadyRead.clear();
            alreadyRead.add(name);
            try {
                last = store.metrics();
            } catch (StoreException e) {
                // /health/ready reports the failure
            }
        }
        return last.getOrDefault(name, 0L);
    }
}
