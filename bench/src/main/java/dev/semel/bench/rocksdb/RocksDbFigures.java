package dev.semel.bench.rocksdb;

import dev.semel.bench.Contest.Scores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What was measured. */
final class RocksDbFigures {

    static final String SEMEL = "semel";
    static final String SEMEL_PLATFORM = "semel-platform";
    static final String DEFAULT = "bare";
    static final String TUNED = "tuned";
    static final String SMALL = "small";
    static final String LARGE = "large";

    /** Calls with new keys, and bare batches, by the number of callers. */
    final Map<Integer, Scores> fresh = new TreeMap<>();

    /** Calls with known keys, and bare reads, by the number of callers. */
    final Map<Integer, Scores> replays = new TreeMap<>();

    /** Stores of rising size, each next to a small one. */
    final List<Size> sizes = new ArrayList<>();

    /** Bytes of keys and values that a call writes. */
    int bytesOfACall;

    /** How many calls shared a write to disk, by the number of callers. */
    final Map<Integer, Double> callsInAGroup = new TreeMap<>();

    /**
     * A store of some size.
     *
     * @param keys how many calls it was filled with
     * @param bytes what it takes on disk
     * @param perSecond calls a second while it was filled, not synced
     * @param opening how long it took to open
     * @param fresh calls with new keys, on it and on a small one
     * @param queries queries of a customer's payments, on it and on a small one
     */
    record Size(long keys, long bytes, double perSecond, Duration opening, Scores fresh, Scores queries) {}
}
