package dev.semel.rocksdb;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.rocksdb.HistogramType;
import org.rocksdb.TickerType;

/** Counters of the store and of RocksDB since the store was opened, and their current use of disk and memory. */
final class Metrics {

    private static final Map<String, TickerType> COUNTED = Map.of(
            "log.syncs", TickerType.WAL_FILE_SYNCED,
            "log.bytes", TickerType.WAL_FILE_BYTES,
            "flush.bytes", TickerType.FLUSH_WRITE_BYTES,
            "compaction.bytes", TickerType.COMPACT_WRITE_BYTES,
            "stall.micros", TickerType.STALL_MICROS,
            "cache.hits", TickerType.BLOCK_CACHE_HIT,
            "cache.misses", TickerType.BLOCK_CACHE_MISS);

    final LongAdder commits = new LongAdder();
    final LongAdder groups = new LongAdder();
    final LongAdder swept = new LongAdder();

    /** @param freeBytes the free space on the disk */
    Map<String, Long> read(Database db, long freeBytes) {
        Map<String, Long> metrics = new TreeMap<>();
        metrics.put("commits", commits.sum());
        metrics.put("groups", groups.sum());
        metrics.put("swept", swept.sum());
        COUNTED.forEach((name, ticker) -> metrics.put(name, db.count(ticker)));
        metrics.put("compaction.micros", db.sum(HistogramType.COMPACTION_TIME));
        metrics.put("keys", db.number(db.records, "rocksdb.estimate-num-keys"));
        metrics.put("documents", db.number(db.documents, "rocksdb.estimate-num-keys"));
        metrics.put("disk.bytes", db.numberOfAll("rocksdb.total-sst-files-size"));
        metrics.put("disk.free.bytes", freeBytes);
        // write buffers are charged to the cache, so this is the total
        metrics.put("memory.bytes", db.number(db.records, "rocksdb.block-cache-usage"));
        metrics.put("memory.buffers.bytes", db.numberOfAll("rocksdb.cur-size-all-mem-tables"));
        return Collections.unmodifiableMap(metrics);
    }
}
