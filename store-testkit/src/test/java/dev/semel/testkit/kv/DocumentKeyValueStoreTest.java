package dev.semel.testkit.kv;

import dev.semel.kv.DocumentKeyValueStore;
import dev.semel.kv.KeyValueStore;
import dev.semel.memory.MemoryStore;
import dev.semel.testkit.ControlledTime;
import java.time.Duration;

class DocumentKeyValueStoreTest implements KeyValueStoreContract {

    private final ControlledTime time = new ControlledTime();
    private final KeyValueStore store = new DocumentKeyValueStore(new MemoryStore(time, 64 << 20), "textpile");

    @Override
    public KeyValueStore keyValueStore() {
        return store;
    }

    @Override
    public void advance(Duration step) {
        time.advance(step);
    }
}
