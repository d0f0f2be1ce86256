package dev.semel.memory;

import dev.semel.store.Document;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Response;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.IdempotencyRecord;
import java.util.concurrent.atomic.AtomicLong;

/** The limit and the current size of a memory store. Sizes are estimates that include the overhead of maps and objects. */
final class MemoryBudget {

    private static final long BYTES_PER_USER = 400;

    private final long bytes;
    private final AtomicLong taken = new AtomicLong();

    MemoryBudget(long bytes) {
        this.bytes = bytes;
    }

    /** Reserves space for a commit if there is enough. A commit that does not make the store larger always fits. */
    boolean take(long wanted, int users) {
        if (taken.addAndGet(wanted) + users * BYTES_PER_USER > bytes && wanted > 0) {
            taken.addAndGet(-wanted);
            return false;
        }
        return true;
    }

    /** Counts rows that were written or deleted, even beyond the limit. */
    void add(long grown) {
        if (grown != 0) {
            taken.addAndGet(grown);
        }
    }

    long taken(int users) {
        return taken.get() + users * BYTES_PER_USER;
    }

    static long of(IdempotencyRecord record) {
        Response response = record.response();
        String cause = record.cause();
        IdempotencyKey key = record.key();
        return 600
                + key.key().length()
                + key.user().length()
                + key.endpoint().length()
                + record.clientTxId().length()
                + (cause == null ? 0 : cause.length())
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
