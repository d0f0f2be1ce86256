package dev.semel.testkit;

import dev.semel.store.MemoryStore;
import dev.semel.store.Store;
import dev.semel.store.Time;

class MemoryStoreContractTest extends StoreContract {

    @Override
    protected Store open(Time time) {
        return new MemoryStore(time, 1L << 30);
    }
}
