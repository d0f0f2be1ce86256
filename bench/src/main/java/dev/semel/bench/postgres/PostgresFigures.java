package dev.semel.bench.postgres;

import dev.semel.bench.Contest.Scores;
import dev.semel.bench.ContestFigures;

/** What was measured. */
final class PostgresFigures extends ContestFigures<PostgresFigures.DatabaseSize> {

    static final String TRANSACTION = "transaction";
    static final String AUTOCOMMIT = "autocommit";
    static final String CALLER_MANAGED = "caller-managed";
    static final String EFFECT_FIRST = "effect-first";
    static final String SELECT = "select";
    static final String DBOS = "dbos";

    /** The server's version. */
    final String version;

    /** What a key takes on disk. */
    final Footprint footprint;

    /** How the queries of the largest database were executed. */
    Plans plans = new Plans(0, 0);

    PostgresFigures(String version, Footprint footprint) {
        this.version = version;
        this.footprint = footprint;
    }

    /**
     * A database of some size.
     *
     * @param keys how many payments it was filled with
     * @param bytes bytes on disk
     * @param fresh calls with new keys, on it and on a small one
     * @param replays calls with known keys, on it and on a small one
     * @param queries queries of a customer's payments, on it and on a small one
     */
    record DatabaseSize(long keys, long bytes, Scores fresh, Scores replays, Scores queries) implements Size {}
}
