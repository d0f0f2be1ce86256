package dev.semel.bench;

import dev.semel.bench.Contest.Scores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What was measured of a store, beside peers and at rising sizes.
 *
 * @param <S> what was measured at one size
 */
public class ContestFigures<S extends ContestFigures.Size> {

    public static final String SEMEL = "semel";
    public static final String SEMEL_PLATFORM = "semel-platform";
    public static final String SMALL = "small";
    public static final String LARGE = "large";

    /** Calls with new keys, and what peers do with them, by the number of callers. */
    public final Map<Integer, Scores> fresh = new TreeMap<>();

    /** Calls with known keys, and what peers do with them, by the number of callers. */
    public final Map<Integer, Scores> replays = new TreeMap<>();

    /** Stores of rising size, each beside a small one. */
    public final List<S> sizes = new ArrayList<>();

    /** A store of some size, and a small one that took turns with it. */
    public interface Size {

        /** How many payments the store was filled with. */
        long keys();

        /** Bytes on disk. */
        long bytes();

        /** Calls with new keys. */
        Scores fresh();

        /** Queries of a customer's payments. */
        Scores queries();
    }
}
