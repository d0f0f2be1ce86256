package dev.semel.server;

import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the store can be written: one that is full can still be read, and things can be deleted there. It finds out by a
 * small document, which it removes again; seldom as long as all is well, and whenever it is asked once there is doubt.
 */
final class WriteProbe {

    static final String HANGS = "A write has been under way for long";

    /** As large as what a small request leaves behind. */
    private static final Json SOMETHING = Json.of("\"" + "x".repeat(1000) + "\"");

    /** If this server dies meanwhile, it goes with a sweep. */
    private static final Duration LIFE = Duration.ofMinutes(1);

    private static final long SELDOM_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long LONG_NANOS = Duration.ofSeconds(5).toNanos();

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

    /** @throws StoreException if the store could not be written when it was last tried, or has not been for long */
    void check() {
        boolean isTime = doubtful || fault != null || time.nanoTime() - lastNanos > SELDOM_NANOS;
        if (canWrite && isTime && writing.tryLock()) { // one at a time: others are told what is known
            try {
                write();
            } finally {
                writing.unlock();
            }
        } else if (writing.isLocked() && time.nanoTime() - lastNanos > LONG_NANOS) {
            throw StoreException.unavailable(HANGS, null);
        }
        StoreException known = fault;
        if (known != null) {
            throw known;
        }
    }

    private void write() {
        doubtful = false;
        lastNanos = time.nanoTime();
        DocumentId id = new DocumentId("health", "", IdSchemes.TID62.mint());
        Instant now = time.instant();
        String attempt = IdSchemes.TID62.mint();
        Document document = new Document(id, 1, now, now, now.plus(LIFE), SOMETHING, attempt);
        try {
            commit(attempt, new DocumentWrite.Put(document, List.of()));
            commit(IdSchemes.TID62.mint(), new DocumentWrite.Delete(id, List.of()));
            fault = null;
        } catch (StoreException e) {
            fault = e;
        }
    }

    private void commit(String attempt, DocumentWrite write) {
        store.commit(new Commit(attempt, null, Map.of(), List.of(write)));
    }
}
