package dev.semel.server.settings;

/**
 * Settings of the store.
 *
 * @param memoryBytes about how much memory it may take
 * @param connections size of the pool of a database
 * @param schema schema of the tables in a database
 * @param migrate whether tables in a database are created and migrated at the start
 */
public record StoreSettings(StoreUrl url, long memoryBytes, int connections, String schema, boolean migrate) {}
