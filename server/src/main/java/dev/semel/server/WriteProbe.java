package dev.semel.server;

import dev.semel.id.IdSchemes;
import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the store can be written: a disk that is full can still be read. It finds out by a small write of its own, which
 * leaves nothing behind; seldom as long as all is well, and whenever it is asked once there is doubt.
 */
final class WriteProbe {

    private static final DocumentId NOTHING = new DocumentId("health", "", "ready");
    private static final long SELDOM_NANOS = Duration.ofSeconds(30).toNanos();

    private final Store store;
    private final Time time;
    private final boolean canWrite;
    private final ReentrantLock writing = new ReentrantLock();
    private volatile boolean doubtful = true;
    private volatile long lastNanos;
    private volatile @Nullable StoreException fault;

    WriteProbe(Store store, Time time) {
        this.store = store;
        this.time = time;
        this.canWrite = store.capabilities().contains(Capability.COMMIT);
    }

    /** Something was not done that should have been. */
    void doubt() {
        doubtful = true;
    }

    /** @throws StoreException if the store could not be written when it was last tried */
    void check() {
        boolean isTime = doubtful || fault != null || time.nanoTime() - lastNanos > SELDOM_NANOS;
        if (canWrite && isTime && writing.tryLock()) { // one at a time: others are told what is known
            try {
                write();
            } finally {
                writing.unlock();
            }
        }
        StoreException known = fault;
        if (known != null) {
            throw known;
        }
    }

    private void write() {
        doubtful = false;
        lastNanos = time.nanoTime();
        DocumentWrite write = new DocumentWrite.Delete(NOTHING, List.of());
        try {
            store.commit(new Commit(IdSchemes.TID62.mint(), null, Map.of(), List.of(write)));
            fault = null;
        } catch (StoreException e) {
            fault = e;
        }
    }
}
