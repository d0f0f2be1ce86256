package dev.semel.outbox;

import dev.semel.store.spi.OrderedStore;
import dev.semel.testkit.ControlledTime;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What an outbox promises on every store. */
abstract class OutboxContract implements AddingContract, ListingContract, DecisionContract, UnreadableContract {

    private static final AtomicInteger OUTBOXES = new AtomicInteger();

    private final String name = "outbox_" + OUTBOXES.incrementAndGet();
    private final ControlledTime time = new ControlledTime();
    private CountingStore store;

    /** Opens the store of a test. */
    abstract OrderedStore open(InstantSource clock) throws Exception;

    /** Closes it after the test. */
    void close(OrderedStore opened) {
        opened.close();
    }

    @BeforeEach
    final void open() throws Exception {
        time.setClock(InstantSource.system().instant()); // a database has its own
        store = new CountingStore(open(time), time);
    }

    @AfterEach
    final void close() {
        close(store.inner());
    }

    @Override
    public final CountingStore store() {
        return store;
    }

    @Override
    public final ControlledTime time() {
        return time;
    }

    @Override
    public final String name() {
        return name;
    }
}
