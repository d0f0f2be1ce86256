package dev.semel.server.metrics;

import static java.util.Map.entry;

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

    private static final Map<String, String> DESCRIPTIONS = Map.ofEntries(
            entry("commits", "Acknowledged commits that wrote something"),
            entry("groups", "Writes to disk that commits shared (group commit)"),
            entry("swept", "Expired responses, keys, documents and commit log entries that were deleted"),
            entry("log.syncs", "Syncs of the write-ahead log"),
            entry("log.bytes", "Bytes written to the write-ahead log"),
            entry("flush.bytes", "Bytes written by flushes of memory to tables"),
            entry("compaction.bytes", "Bytes written by compactions"),
            entry("compaction.micros", "Duration of compactions"),
            entry("stall.micros", "Time that writers were delayed because flushes and compactions were too slow"),
            entry("cache.hits", "Blocks found in the cache"),
            entry("cache.misses", "Blocks read from disk"),
            entry("keys", "Estimated number of idempotency keys"),
            entry("documents", "Estimated number of documents"),
            entry("disk.bytes", "Size of the tables on disk, without the log"),
            entry("disk.free.bytes", "Free space on the disk"),
            entry("memory.bytes", "Memory of RocksDB, including its buffers"),
            entry("memory.buffers.bytes", "Memory of the buffers that are not flushed yet"));

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
            String description = DESCRIPTIONS.getOrDefault(name, "");
            if (GAUGES.contains(name)) {
                Gauge.builder("semel.rocksdb." + name, this, meters -> meters.read(name))
                        .description(description)
                        .register(registry);
            } else if (name.endsWith(MICROS)) {
                String seconds = name.substring(0, name.length() - MICROS.length()) + ".seconds";
                FunctionCounter.builder("semel.rocksdb." + seconds, this, meters -> meters.read(name) / 1e6)
                        .description(description)
                        .register(registry);
            } else {
                FunctionCounter.builder("semel.rocksdb." + name, this, meters -> meters.read(name))
                        .description(description)
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
