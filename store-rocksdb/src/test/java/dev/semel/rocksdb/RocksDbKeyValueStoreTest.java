package dev.semel.rocksdb;

import dev.semel.kv.DocumentKeyValueStore;
import dev.semel.kv.KeyValueStore;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.kv.KeyValueStoreContract;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class RocksDbKeyValueStoreTest implements KeyValueStoreContract {

    private final ControlledTime time = new ControlledTime();

    @TempDir
    private Path folder;

    private RocksDbStore documents;

    @BeforeEach
    void open() {
        documents = RocksDbStore.open(folder.resolve("store"), RocksDbSettings.DEFAULTS, time);
    }

    @AfterEach
    void close() {
        documents.close();
    }

    @Override
    public KeyValueStore keyValueStore() {
        return new DocumentKeyValueStore(documents, "textpile");
    }

    @Override
    public void advance(Duration step) {
        time.advance(step);
    }
}
