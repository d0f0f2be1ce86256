package dev.semel.bench.postgres;

import dev.semel.bench.Contest.Scores;
import dev.semel.bench.ContestFigures;

/** The figures of the PostgreSQL store. */
final class PostgresFigures extends ContestFigures<PostgresFigures.DatabaseSize> {

    static final String TRANSACTION = "transaction";
    static final String AUTOCOMMIT = "autocommit";
    static final String CALLER_MANAGED = "caller-managed";
    static final String EFFECT_FIRST = "effect-first";
    static final String SELECT = "select";
    static final String DBOS = "dbos";

    /** The version of PostgreSQL. */
    final String version;

    /** The disk space of a key. */
    final Footprint footprint;

    /** The query plans in the largest database. */
    Plans plans = new Plans(0, 0);

    PostgresFigures(String version, Footprint footprint) {
        this.version = version;
        this.footprint = footprint;
    }

    /**
     * Figures of a database of some size.
     *
     * @param keys number of keys in the database
     * @param bytes size on disk
     * @param fresh scores of calls with new keys, in this database and in a small one
     * @param replays scores of calls with known keys, in this database and in a small one
     * @param queries scores of queries for a customer's payments, in this database and in a small one
     */
    record DatabaseSize(long keys, long bytes, Scores fresh, Scores replays, Scores queries) implements Size {}
}
