package dev.semel.server.settings;

/**
 * What is kept where, and how.
 *
 * @param memoryBytes about how much memory it may take
 * @param connections how many there are to a database, at most
 * @param migrate whether tables in a database are made, and brought to the state that this release knows
 */
public record StoreSettings(StoreUrl url, long memoryBytes, int connections, boolean migrate) {}
