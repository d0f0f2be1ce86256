package dev.semel.memory;

import dev.semel.store.Document;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Response;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.IdempotencyRecord;
import java.util.concurrent.atomic.AtomicLong;

/** How much a memory store may hold and how much it holds, by an estimate of what each row takes with the maps' own. */
final class MemoryBudget {

    private static final long OF_A_USER = 400;

    private final long bytes;
    private final AtomicLong taken = new AtomicLong();

    MemoryBudget(long bytes) {
        this.bytes = bytes;
    }

    /** Takes room for rows, if there is as much; what makes the store no larger always fits. */
    boolean take(long wanted, int users) {
        if (taken.addAndGet(wanted) + users * OF_A_USER > bytes && wanted > 0) {
            taken.addAndGet(-wanted);
            return false;
        }
        return true;
    }

    /** Takes room for what is written already, whether there is as much or not; or gives some back. */
    void add(long grown) {
        if (grown != 0) {
            taken.addAndGet(grown);
        }
    }

    long taken(int users) {
        return taken.get() + users * OF_A_USER;
    }

    static long of(IdempotencyRecord record) {
        Response response = record.response();
        IdempotencyKey key = record.key();
        return 600
                + key.key().length()
                + key.user().length()
                + key.endpoint().length()
                + record.clientTxId().length()
                + (response == null
                        ? 0
                        : response.size() + 100L * response.headers().size());
    }

    static long of(Document document) {
        return 500 + 3L * document.key().length() + document.data().length();
    }

    static long of(IndexEntry entry) {
        return ofIndexEntry(entry.key());
    }

    static long ofIndexEntry(String key) {
        return 200L + key.length();
    }
}
