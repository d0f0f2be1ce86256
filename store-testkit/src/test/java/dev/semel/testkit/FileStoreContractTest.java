package dev.semel.testkit;

import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class FileStoreContractTest extends StoreContract {

    @TempDir
    private Path directory;

    private int stores;

    @Override
    protected OnceStore open(Time time) {
        return new FileStore(directory.resolve("store-" + stores++), time);
    }

    @Override
    public int raceKeys() {
        return 200; // each waits for the disk
    }
}
