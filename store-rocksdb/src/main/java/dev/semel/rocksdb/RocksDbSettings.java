package dev.semel.rocksdb;

/**
 * How a store on RocksDB is opened.
 *
 * @param memoryBytes about how much memory it may take, for what it has read and for what is not on disk in order yet
 * @param synced whether a commit is acknowledged only when it would outlive a power failure; otherwise it outlives the process alone
 */
public record RocksDbSettings(long memoryBytes, boolean synced) {

    /** 256 MiB, synced. */
    public static final RocksDbSettings DEFAULTS = new RocksDbSettings(256L << 20, true);

    private static final long LEAST_MEMORY = 16L << 20;

    /** @throws IllegalArgumentException if there is less than 16 MiB of memory */
    public RocksDbSettings {
        if (memoryBytes < LEAST_MEMORY) {
            throw new IllegalArgumentException("memoryBytes is below " + LEAST_MEMORY + ": " + memoryBytes);
        }
    }

    public RocksDbSettings withMemoryBytes(long memoryBytes) {
        return new RocksDbSettings(memoryBytes, synced);
    }

    public RocksDbSettings withSynced(boolean synced) {
        return new RocksDbSettings(memoryBytes, synced);
    }
}
