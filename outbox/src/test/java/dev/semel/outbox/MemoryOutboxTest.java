package dev.semel.outbox;

import dev.semel.memory.MemoryStore;
import dev.semel.store.spi.OrderedStore;
import java.time.InstantSource;

class MemoryOutboxTest extends OutboxContract {

    @Override
    OrderedStore open(InstantSource clock) {
        return new MemoryStore(clock, 256 << 20);
    }
}
