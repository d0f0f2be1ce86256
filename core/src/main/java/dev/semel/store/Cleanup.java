package dev.semel.store;

import java.time.Instant;
import java.util.Comparator;

/**
 * What was let go.
 *
 * @param table what it was
 * @param deleted how much
 * @param time when
 */
public record Cleanup(String table, long deleted, Instant time) {

    /** The latest first; of the same time, by table. */
    static final Comparator<Cleanup> LATEST_FIRST =
            Comparator.comparing(Cleanup::time).reversed().thenComparing(Cleanup::table);
}
