package dev.semel.outbox;

import dev.semel.key.KeyRange;
import dev.semel.store.Document;
import dev.semel.store.spi.DocumentStore.Scan;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What waits in an outbox.
 *
 * @param pending how many entries wait to be sent; if there are more than {@value #MOST}, this number
 * @param failed how many entries have failed; if there are more than {@value #MOST}, this number
 * @param oldest when the oldest of the entries was added; null if there is none
 */
public record Backlog(long pending, long failed, @Nullable Instant oldest) {

    /** The most entries that are counted, so that counting takes a bounded time. */
    public static final long MOST = 100_000;

    private static final int PAGE = 1_000;

    static Backlog of(EntryStore entries) {
        List<Document> first = entries.store().scan(scan(entries, "queue", "", 1));
        Instant oldest = first.isEmpty() ? null : first.get(0).createdAt();
        long failed = count(entries, "failed", MOST);
        long all = first.isEmpty() ? 0 : count(entries, "queue", MOST + failed);
        return new Backlog(Math.max(0, all - failed), failed, oldest);
    }

    private static long count(EntryStore entries, String collection, long most) {
        long count = 0;
        String after = "";
        while (count < most) {
            List<Document> page = entries.store().scan(scan(entries, collection, after, PAGE));
            if (page.isEmpty()) {
                return count;
            }
            count += page.size();
            after = page.get(page.size() - 1).key();
        }
        return most;
    }

    private static Scan scan(EntryStore entries, String collection, String after, int limit) {
        return new Scan(entries.collection(collection), "", "", KeyRange.ofPrefix(""), after, limit);
    }
}
