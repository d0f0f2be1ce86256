package dev.semel.rocksdb;

/**
 * Settings of a store on RocksDB.
 *
 * @param memoryBytes the approximate limit of native memory, for the block cache and write buffers together
 * @param synced whether the log is synced before a commit is acknowledged. If not, acknowledged commits survive a crash of the process, but
 *     the last ones may be lost in a power failure
 */
public record RocksDbSettings(long memoryBytes, boolean synced) {

    /** The defaults: 256 MiB of memory, synced. */
    public static final RocksDbSettings DEFAULTS = new RocksDbSettings(256L << 20, true);

    private static final long LEAST_MEMORY = 16L << 20;

    /**
     * Checks the settings.
     *
     * @throws IllegalArgumentException if the memory is below 16 MiB
     */
    public RocksDbSettings {
        if (memoryBytes < LEAST_MEMORY) {
            throw new IllegalArgumentException("memoryBytes must be at least " + LEAST_MEMORY + ", not " + memoryBytes);
        }
    }

    public RocksDbSettings withMemoryBytes(long memoryBytes) {
        return new RocksDbSettings(memoryBytes, synced);
    }

    public RocksDbSettings withSynced(boolean synced) {
        return new RocksDbSettings(memoryBytes, synced);
    }
}
