package dev.semel.testkit;

import dev.semel.memory.MemoryStore;
import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;
import org.junit.jupiter.api.Tag;

@Tag("jdk")
class MemoryStoreContractTest extends StoreContract {

    @Override
    protected OnceStore open(Time time) {
        return new MemoryStore(time, 1L << 30);
    }
}
