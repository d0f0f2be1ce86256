package dev.semel.server.settings;

/**
 * Settings of the store.
 *
 * @param url where data is stored
 * @param memoryBytes approximate memory of the store
 * @param connections size of the PostgreSQL connection pool
 * @param schema PostgreSQL schema of the tables
 * @param migrate whether the PostgreSQL tables are created and migrated at the start
 */
public record StoreSettings(StoreUrl url, long memoryBytes, int connections, String schema, boolean migrate) {

    /** Returns these settings with another size of the connection pool. */
    public StoreSettings withConnections(int connections) {
        return new StoreSettings(url, memoryBytes, connections, schema, migrate);
    }
}
