package dev.semel.testkit;

import dev.semel.store.Store;
import dev.semel.store.Time;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What every store has to hold to. A store's own tests extend this and say how to open an empty one; what a store does not
 * claim to be able to do is skipped.
 *
 * <pre>{@code
 * class MyStoreTest extends StoreContract {
 *     @Override
 *     protected Store open(Time time) {
 *         return new MyStore(time);
 *     }
 * }
 * }</pre>
 *
 * <p>The topics are interfaces, a file each.
 */
public abstract class StoreContract
        implements CommitContract,
                ScanContract,
                FurtherKeyContract,
                OrderContract,
                WatchContract,
                AttemptContract,
                StateTableContract,
                ClaimContract,
                ReplayContract,
                MismatchContract,
                LeaseContract,
                ExpiryContract,
                SweepContract,
                SweepRaceContract,
                InspectContract,
                FailureContract,
                WaitingContract,
                QuotaContract,
                IsolationContract,
                RecordContract,
                SequenceContract,
                AllocationContract,
                RaceContract {

    private final ControlledTime time = new ControlledTime();
    private @Nullable Store store;

    /**
     * Opens an empty store.
     *
     * @param time what it takes for the time
     */
    protected abstract Store open(Time time);

    @BeforeEach
    void openStore() {
        store = open(time);
    }

    @AfterEach
    void closeStore() {
        store().close();
    }

    @Override
    public final Store store() {
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
    public final Store openAnother(Time time) {
        return open(time);
    }
}
