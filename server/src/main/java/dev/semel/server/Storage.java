package dev.semel.server;

import dev.semel.memory.MemoryStore;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.metrics.MemoryMeters;
import dev.semel.server.metrics.RocksDbMeters;
import dev.semel.server.settings.PostgresUrl;
import dev.semel.server.settings.StoreSettings;
import dev.semel.server.settings.StoreUrl;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.spi.OrderedStore;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The store of a server, its administration, and its metrics.
 *
 * @param connections returns the number of connections by state; empty if the store has no connections
 * @param meters the metrics of the store
 * @param closer closes the store and its connections
 */
public record Storage(
        OrderedStore store,
        StoreAdmin admin,
        Supplier<Map<String, Integer>> connections,
        MeterBinder meters,
        Runnable closer)
        implements AutoCloseable {

    /** Wraps a store that uses no connections. */
    static <S extends OrderedStore & AdminStore> Storage of(S store) {
        return new Storage(store, store.admin(), Map::of, meters(store), store::close);
    }

    /** Wraps a store in memory. */
    public static Storage inMemory(MemoryStore store) {
        return of(store);
    }

    private static MeterBinder meters(OrderedStore store) {
        if (store instanceof RocksDbStore embedded) {
            return new RocksDbMeters(embedded);
        }
        return store instanceof MemoryStore memory ? new MemoryMeters(memory) : registry -> {};
    }

    /**
     * Opens the store that the settings name.
     *
     * @throws StoreException if the store cannot be opened; the message names the cause
     */
    public static Storage open(StoreSettings settings, Time time) {
        StoreUrl url = settings.url();
        if (url instanceof PostgresUrl postgres) {
            return PostgresStorage.open(postgres, settings).asStorage();
        }
        if (url instanceof StoreUrl.Directory folder) {
            return of(RocksDbStore.open(
                    folder.path(), RocksDbSettings.DEFAULTS.withMemoryBytes(settings.memoryBytes()), time));
        }
        return of(new MemoryStore(time, settings.memoryBytes()));
    }

    @Override
    public void close() {
        closer.run();
    }
}
