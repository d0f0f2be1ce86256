package dev.semel.server;

import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.DocumentStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether the store can be written: a full store can still be read, and data can be deleted from it. The probe writes a small
 * document and deletes it again; seldom while the store is healthy, and with every check once there is doubt.
 */
final class WriteProbe {

    static final String HANGING = "A write has not ended for long";

    /** As large as what a small request writes. */
    private static final Json DATA = Json.of("\"" + "x".repeat(1000) + "\"");

    /** If this server crashes meanwhile, a sweep deletes it. */
    private static final Duration TTL = Duration.ofMinutes(1);

    private static final long SELDOM_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long LONG_NANOS = Duration.ofSeconds(5).toNanos();

    private final DocumentStore store;
    private final Time time;
    private final ReentrantLock writing = new ReentrantLock();
    private volatile boolean doubtful = true;
    private volatile long lastNanos;
    private volatile @Nullable StoreException fault;

    WriteProbe(DocumentStore store, Time time) {
        this.store = store;
        this.time = time;
    }

    /** A request failed because of the store. */
    void doubt() {
        doubtful = true;
    }

    /** @throws StoreException if the store could not be written when it was last tried, or has not been for long */
    void check() {
        boolean isTime = doubtful || fault != null || time.nanoTime() - lastNanos > SELDOM_NANOS;
        if (isTime && writing.tryLock()) { // one at a time: others get the latest result
            try {
                write();
            } finally {
                writing.unlock();
            }
        } else if (writing.isLocked() && time.nanoTime() - lastNanos > LONG_NANOS) {
            throw StoreException.unavailable(HANGING, null);
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
        String commitId = IdSchemes.TID62.mint();
        Document document = Document.created(id, now, now.plus(TTL), DATA).withCommitId(commitId);
        try {
            commit(commitId, new DocumentWrite.Put(document, List.of()));
            commit(IdSchemes.TID62.mint(), new DocumentWrite.Delete(id, List.of()));
            fault = null;
        } catch (StoreException e) {
            fault = e;
        }
    }

    private void commit(String commitId, DocumentWrite write) {
        store.commit(new Commit(commitId, null, Map.of(), List.of(write)));
    }
}
