package dev.semel.server;

import dev.semel.json.Json;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.internal.UniqueIds;
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
 * Checks whether the store can be written, because a full store can still be read and deleted from. The probe writes a small document and
 * deletes it: every 30 seconds while writes succeed, and at each check after a failure.
 */
final class WriteProbe {

    static final String HANGING = "A write takes longer than five seconds";

    /** The size of a typical small write. */
    private static final Json DATA = Json.of("\"" + "x".repeat(1000) + "\"");

    /** A sweep deletes the document if the server crashes between the two writes. */
    private static final Duration TTL = Duration.ofMinutes(1);

    private static final long SELDOM_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long LONG_NANOS = Duration.ofSeconds(5).toNanos();

    private final DocumentStore store;
    private final Time time;
    private final UniqueIds ids;
    private final ReentrantLock writing = new ReentrantLock();
    private volatile boolean doubtful = true;
    private volatile long lastNanos;
    private volatile @Nullable StoreException fault;

    WriteProbe(DocumentStore store, Time time) {
        this.store = store;
        this.time = time;
        this.ids = new UniqueIds(time);
    }

    /** Makes the next check write, because a request failed. */
    void doubt() {
        doubtful = true;
    }

    /** @throws StoreException if the latest write failed, or one in progress takes longer than five seconds */
    void check() {
        boolean isTime = doubtful || fault != null || time.nanoTime() - lastNanos > SELDOM_NANOS;
        if (isTime && writing.tryLock()) { // concurrent checks use the result of the latest write
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
        DocumentId id = new DocumentId("health", "", ids.next());
        Instant now = time.instant();
        String commitId = ids.next();
        Document document = Document.created(id, now, now.plus(TTL), DATA).withCommitId(commitId);
        try {
            commit(commitId, new DocumentWrite.Put(document, List.of()));
            commit(ids.next(), new DocumentWrite.Delete(id, List.of()));
            fault = null;
        } catch (StoreException e) {
            fault = e;
        }
    }

    private void commit(String commitId, DocumentWrite write) {
        store.commit(new Commit(commitId, null, Map.of(), List.of(write)));
    }
}
