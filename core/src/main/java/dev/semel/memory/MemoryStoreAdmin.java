package dev.semel.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.StoreAdmin.KeyPage;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.admin.StoreAdmin.SweepStep;
import dev.semel.store.spi.IdempotencyRecord;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Administration of a memory store. There is no index besides the keys, so a list or a sweep reads all rows. */
final class MemoryStoreAdmin implements StoreAdmin {

    private static final int MOST_CLEANUPS = 1000;
    private static final Comparator<String> BY_BYTES =
            Comparator.comparing(text -> text.getBytes(UTF_8), Arrays::compareUnsigned);

    private final MemoryStore store;
    private final Deque<Cleanup> cleanups = new ArrayDeque<>();

    MemoryStoreAdmin(MemoryStore store) {
        this.store = store;
    }

    @Override
    public InstantSource clock() {
        return store.clock();
    }

    @Override
    public KeyPage list(KeyQuery query) {
        store.checkOpen();
        Instant now = store.clock().instant();
        IdempotencyKey after = query.after() == null ? null : IdempotencyKey.ofCursor(query.after());
        PriorityQueue<IdempotencyRecord> first =
                new PriorityQueue<>(Comparator.comparing(IdempotencyRecord::key, IdempotencyKey.ORDER)
                        .reversed());
        for (IdempotencyRecord record : store.records.values()) {
            boolean isBehind = after == null || IdempotencyKey.ORDER.compare(record.key(), after) > 0;
            if (isBehind && query.matches(record, now)) {
                first.add(record.withoutResponseBody());
                if (first.size() > query.limit() + 1) {
                    first.poll();
                }
            }
        }
        List<IdempotencyRecord> records = new ArrayList<>(first);
        records.sort(Comparator.comparing(IdempotencyRecord::key, IdempotencyKey.ORDER));
        if (records.size() <= query.limit()) {
            return new KeyPage(records, now, Optional.empty());
        }
        List<IdempotencyRecord> page = records.subList(0, query.limit());
        return new KeyPage(
                List.copyOf(page),
                now,
                Optional.of(page.get(page.size() - 1).key().cursor()));
    }

    @Override
    public SweepStep sweep(String from) {
        store.checkOpen();
        Instant now = store.clock().instant();
        store.newKeys.forgetIdle(now);
        Map<String, Long> swept = new HashMap<>(Map.of(KEYS, 0L, TOMBSTONES, 0L));
        for (IdempotencyRecord seen : store.records.values()) {
            if (!seen.equals(seen.sweptAt(now))) {
                sweep(seen.key(), now, swept);
            }
        }
        swept.put(DOCUMENTS, removeDocuments(document -> document.isExpiredAt(now)));
        return new SweepStep(swept, Optional.empty());
    }

    private void sweep(IdempotencyKey key, Instant now, Map<String, Long> swept) {
        store.locks.locked(key, () -> {
            IdempotencyRecord record = store.records.get(key);
            IdempotencyRecord left = record == null ? null : record.sweptAt(now);
            if (record == null || record.equals(left)) {
                return;
            }
            store.replace(record, left);
            if (left == null) {
                swept.merge(StoreAdmin.tableOf(record), 1L, Long::sum);
            } else if (left.status() == record.status()) {
                swept.merge(KEYS, 1L, Long::sum);
            }
        });
    }

    private long removeDocuments(Predicate<Document> mayBeDeleted) {
        long[] removed = {0};
        for (Document seen : store.documents.values()) {
            if (mayBeDeleted.test(seen)) {
                store.locks.locked(seen.id(), () -> {
                    Document document = store.documents.get(Row.of(seen.id()));
                    if (document != null && mayBeDeleted.test(document)) {
                        store.documents.remove(Row.of(seen.id()));
                        store.budget.add(-MemoryBudget.of(document));
                        removed[0]++;
                    }
                });
            }
        }
        if (removed[0] > 0) {
            removeIndexEntries();
        }
        return removed[0];
    }

    /** Deletes the index entries whose documents were deleted. A document may have been created again with another sequence number. */
    private void removeIndexEntries() {
        store.indexEntries.forEach((row, id) -> {
            if (store.documentOf(row, id) == null) {
                store.locks.locked(id, () -> {
                    boolean gone = store.documentOf(row, id) == null;
                    if (gone && store.indexEntries.remove(row) != null) {
                        store.budget.add(-MemoryBudget.ofIndexEntry(row.key()));
                    }
                });
            }
        });
    }

    @Override
    public synchronized void log(List<Cleanup> cleanups) {
        store.checkOpen();
        for (Cleanup cleanup : cleanups) {
            this.cleanups.addFirst(cleanup);
            if (this.cleanups.size() > MOST_CLEANUPS) {
                this.cleanups.removeLast();
            }
        }
    }

    @Override
    public synchronized List<Cleanup> cleanups(@Nullable Cleanup after, int limit) {
        store.checkOpen();
        return cleanups.stream()
                .filter(cleanup -> after == null || Cleanup.LATEST_FIRST.compare(cleanup, after) > 0)
                .sorted(Cleanup.LATEST_FIRST)
                .limit(limit)
                .toList();
    }

    @Override
    public Optional<String> nextOwner(String collection, String after) {
        store.checkOpen();
        return store.documents.values().stream()
                .map(Document::id)
                .filter(id -> id.collection().equals(collection))
                .map(DocumentId::owner)
                .filter(owner -> BY_BYTES.compare(owner, after) > 0)
                .min(BY_BYTES);
    }

    @Override
    public Map<String, Long> erase(String user, boolean withDocuments) {
        store.checkOpen();
        long[] erased = {0};
        for (IdempotencyRecord seen : store.records.values()) {
            if (seen.key().user().equals(user)) {
                store.locks.locked(seen.key(), () -> {
                    IdempotencyRecord record = store.records.get(seen.key());
                    if (record != null) {
                        store.replace(record, null);
                        erased[0]++;
                    }
                });
            }
        }
        store.newKeys.forget(user);
        Map<String, Long> all = new HashMap<>(Map.of(KEYS, erased[0]));
        if (withDocuments) {
            all.put(DOCUMENTS, removeDocuments(document -> document.id().owner().equals(user)));
        }
        return all;
    }
}
