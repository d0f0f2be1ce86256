package dev.semel.bench.postgres;

import dev.semel.bench.Contest.Scores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What was measured. */
final class PostgresFigures {

    static final String SEMEL = "semel";
    static final String SEMEL_PLATFORM = "semel-platform";
    static final String TRANSACTION = "transaction";
    static final String AUTOCOMMIT = "autocommit";
    static final String OWN = "own";
    static final String EFFECT_FIRST = "effect-first";
    static final String SELECT = "select";
    static final String DBOS = "dbos";
    static final String SMALL = "small";
    static final String LARGE = "large";

    /** Calls with new keys, plain INSERTs and new workflows, by the number of callers. */
    final Map<Integer, Scores> fresh = new TreeMap<>();

    /** Calls with known keys, plain SELECTs and known workflows, by the number of callers. */
    final Map<Integer, Scores> replays = new TreeMap<>();

    /** Databases of rising size, each next to a small one. */
    final List<Size> sizes = new ArrayList<>();

    /** What the server says of itself. */
    String version = "";

    /** How the queries of the largest were carried out. */
    Plans plans = new Plans(0, 0);

    /**
     * A database of some size, and a small one.
     *
     * @param keys how many payments it was filled with
     * @param bytes what it takes on disk
     * @param fresh calls with new keys
     * @param replays calls with known keys
     * @param queries queries of a customer's payments
     */
    record Size(long keys, long bytes, Scores fresh, Scores replays, Scores queries) {}
}
