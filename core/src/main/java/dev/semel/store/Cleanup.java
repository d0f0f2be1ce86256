package dev.semel.store;

import java.time.Instant;

/**
 * What was let go.
 *
 * @param table what it was
 * @param deleted how much
 * @param time when
 */
public record Cleanup(String table, long deleted, Instant time) {}
