package dev.semel.rocksdb;

import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;
import dev.semel.testkit.StoreContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class RocksDbStoreContractTest extends StoreContract {

    @TempDir
    private Path folder;

    @Override
    protected OnceStore open(Time time) {
        try {
            return RocksDbStore.open(Files.createTempDirectory(folder, "store"), RocksDbSettings.DEFAULTS, time);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
