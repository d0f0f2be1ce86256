package dev.semel.bench.torture;

import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import dev.semel.testkit.crash.StoreOpener;
import java.nio.file.Path;

/** Opens the embedded store with its default settings. */
public final class RocksDbOpener implements StoreOpener {

    @Override
    public DocumentStore open(Path folder, Time time) {
        return RocksDbStore.open(folder, RocksDbSettings.DEFAULTS, time);
    }
}
