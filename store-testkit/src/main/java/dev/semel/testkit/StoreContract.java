package dev.semel.testkit;

import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The contract of stores as a test suite. The tests of a store extend this class and implement {@link #open}. Tests of interfaces that
 * the store does not implement are reported as skipped.
 *
 * <pre>{@code
 * class MyStoreTest extends StoreContract {
 *     @Override
 *     protected OnceStore open(Time time) {
 *         return new MyStore(time);
 *     }
 * }
 * }</pre>
 */
public abstract class StoreContract
        implements OnceStoreContract,
                DocumentStoreContract,
                OrderedStoreContract,
                QuotaStoreContract,
                AdminStoreContract {

    private final ControlledTime time = new ControlledTime();
    private @Nullable OnceStore store;

    /**
     * Opens an empty store.
     *
     * @param time the clock that the store has to use; tests advance it
     */
    protected abstract OnceStore open(Time time);

    @BeforeEach
    void openStore() {
        store = open(time);
    }

    @AfterEach
    void closeStore() {
        store().close();
    }

    @Override
    public final OnceStore store() {
        if (store == null) {
            throw new IllegalStateException("The store is opened before each test");
        }
        return store;
    }

    @Override
    public final ControlledTime time() {
        return time;
    }

    @Override
    public final OnceStore openAnother(Time time) {
        return open(time);
    }
}
