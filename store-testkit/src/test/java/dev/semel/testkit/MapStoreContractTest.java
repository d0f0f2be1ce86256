package dev.semel.testkit;

import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;

class MapStoreContractTest extends StoreContract {

    @Override
    protected OnceStore open(Time time) {
        return new MapStore(time);
    }
}
