package dev.semel.bench.rocksdb;

import dev.semel.bench.Contest.Scores;
import dev.semel.bench.ContestFigures;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** What was measured. */
final class RocksDbFigures extends ContestFigures<RocksDbFigures.StoreSize> {

    static final String BARE = "bare";
    static final String TUNED = "tuned";

    /** Bytes of keys and values that a call writes. */
    int bytesPerCall;

    /** How many calls shared a write to disk, by the number of callers. */
    final Map<Integer, Double> callsPerGroup = new TreeMap<>();

    /**
     * A store of some size.
     *
     * @param keys how many calls it was filled with
     * @param bytes bytes on disk
     * @param perSecond calls a second while it was filled, not synced
     * @param opening how long it took to open
     * @param fresh calls with new keys, on it and on a small one
     * @param queries queries of a customer's payments, on it and on a small one
     */
    record StoreSize(long keys, long bytes, double perSecond, Duration opening, Scores fresh, Scores queries)
            implements Size {}
}
