package dev.semel.bench;

import dev.semel.bench.Contest.Scores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The figures of a store next to its peers, and at increasing sizes.
 *
 * @param <S> the figures at one size
 */
public class ContestFigures<S extends ContestFigures.Size> {

    public static final String SEMEL = "semel";
    public static final String SEMEL_PLATFORM = "semel-platform";
    public static final String SMALL = "small";
    public static final String LARGE = "large";

    /** Scores with new keys, by the number of callers. */
    public final Map<Integer, Scores> fresh = new TreeMap<>();

    /** Scores with known keys, by the number of callers. */
    public final Map<Integer, Scores> replays = new TreeMap<>();

    /** Figures of stores of increasing size, each next to a small one. */
    public final List<S> sizes = new ArrayList<>();

    /** Figures of a store of some size, and of a small one that took turns with it. */
    public interface Size {

        /** Number of payments in the store. */
        long keys();

        /** Size of the store on disk in bytes. */
        long bytes();

        /** Scores of calls with new keys. */
        Scores fresh();

        /** Scores of queries for a customer's payments. */
        Scores queries();
    }
}
