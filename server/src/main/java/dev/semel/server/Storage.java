package dev.semel.server;

import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.metrics.MemoryMeters;
import dev.semel.server.metrics.RocksDbMeters;
import dev.semel.server.settings.PostgresUrl;
import dev.semel.server.settings.StoreSettings;
import dev.semel.server.settings.StoreUrl;
import dev.semel.store.MemoryStore;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The store of a server, and what has to be ended with it.
 *
 * @param figures how its connections are used now, by name; none if it has no connections
 * @param meters what it has to tell of itself
 * @param end closes the store and what is behind it
 */
record Storage(Store store, Supplier<Map<String, Integer>> figures, MeterBinder meters, Runnable end)
        implements AutoCloseable {

    /** A store with nothing behind it. */
    static Storage of(Store store) {
        return new Storage(store, Map::of, meters(store), store::close);
    }

    private static MeterBinder meters(Store store) {
        if (store instanceof RocksDbStore embedded) {
            return new RocksDbMeters(embedded);
        }
        return store instanceof MemoryStore memory ? new MemoryMeters(memory) : registry -> {};
    }

    /**
     * Opens what the settings say.
     *
     * @throws StoreException if that cannot be done; says why
     */
    static Storage open(StoreSettings settings, Time time) {
        StoreUrl url = settings.url();
        if (url instanceof PostgresUrl postgres) {
            return PostgresStorage.open(postgres, settings).asStorage();
        }
        if (url instanceof StoreUrl.Folder folder) {
            return of(RocksDbStore.open(
                    folder.path(), RocksDbSettings.DEFAULTS.withMemoryBytes(settings.memoryBytes()), time));
        }
        return of(new MemoryStore(time, settings.memoryBytes()));
    }

    @Override
    public void close() {
        end.run();
    }
}
