package dev.semel.bench.rocksdb;

import dev.semel.bench.Contest.Scores;
import dev.semel.bench.ContestFigures;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** The figures of the embedded store. */
final class RocksDbFigures extends ContestFigures<RocksDbFigures.StoreSize> {

    static final String BARE = "bare";
    static final String TUNED = "tuned";

    /** Number of bytes in the keys and values that a call writes. */
    int bytesPerCall;

    /** Number of calls that shared a write to disk, by the number of callers. */
    final Map<Integer, Double> callsPerGroup = new TreeMap<>();

    /**
     * Figures of a store of some size.
     *
     * @param keys number of keys in the store
     * @param bytes size on disk
     * @param perSecond calls per second while it was filled, not synced
     * @param opening time to open it
     * @param fresh scores of calls with new keys, on this store and on a small one
     * @param queries scores of queries for a customer's payments, on this store and on a small one
     */
    record StoreSize(long keys, long bytes, double perSecond, Duration opening, Scores fresh, Scores queries)
            implements Size {}
}
