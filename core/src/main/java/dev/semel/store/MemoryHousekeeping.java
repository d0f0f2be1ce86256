package dev.semel.store;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Keeps a memory store in order. It has no index but the keys themselves: a list or a sweep goes through all that there is. */
final class MemoryHousekeeping implements Housekeeping {

    private static final int MOST_CLEANUPS = 1000;

    private final MemoryStore store;
    private final Deque<Cleanup> cleanups = new ArrayDeque<>();

    MemoryHousekeeping(MemoryStore store) {
        this.store = store;
    }

    @Override
    public KeyPage list(KeyQuery query) {
        store.refuseIfClosed();
        Instant now = store.clock().instant();
        OnceKey after = query.after() == null ? null : OnceKey.ofCursor(query.after());
        PriorityQueue<OnceRecord> first = new PriorityQueue<>(
                Comparator.comparing(OnceRecord::key, OnceKey.IN_ORDER).reversed());
        for (OnceRecord record : store.onceRecords.values()) {
            boolean isBehind = after == null || OnceKey.IN_ORDER.compare(record.key(), after) > 0;
            if (isBehind && query.matches(record, now)) {
                first.add(record.withoutAnswer());
                if (first.size() > query.limit() + 1) {
                    first.poll();
                }
            }
        }
        List<OnceRecord> records = new ArrayList<>(first);
        records.sort(Comparator.comparing(OnceRecord::key, OnceKey.IN_ORDER));
        if (records.size() <= query.limit()) {
            return new KeyPage(records, now, Optional.empty());
        }
        List<OnceRecord> page = records.subList(0, query.limit());
        return new KeyPage(
                List.copyOf(page),
                now,
                Optional.of(page.get(page.size() - 1).key().cursor()));
    }

    @Override
    public SweepStep sweep(String from) {
        store.refuseIfClosed();
        Instant now = store.clock().instant();
        store.newKeys.forgetIdle(now);
        Map<String, Long> swept = new HashMap<>(Map.of(KEYS, 0L, TOMBSTONES, 0L));
        for (OnceRecord seen : store.onceRecords.values()) {
            if (!seen.equals(seen.sweptAt(now))) {
                sweep(seen.key(), now, swept);
            }
        }
        swept.put(DOCUMENTS, removeDocuments(document -> document.isExpiredAt(now)));
        return new SweepStep(swept, Optional.empty());
    }

    private void sweep(OnceKey key, Instant now, Map<String, Long> swept) {
        store.locked(key, () -> {
            OnceRecord record = store.onceRecords.get(key);
            OnceRecord left = record == null ? null : record.sweptAt(now);
            if (record == null || record.equals(left)) {
                return;
            }
            store.replace(record, left);
            if (left == null) {
                swept.merge(Housekeeping.tableOf(record), 1L, Long::sum);
            } else if (left.status() == record.status()) {
                swept.merge(KEYS, 1L, Long::sum);
            }
        });
    }

    private long removeDocuments(Predicate<Document> mayGo) {
        long[] removed = {0};
        for (Document seen : store.documents.values()) {
            if (mayGo.test(seen)) {
                store.locked(seen.id(), () -> {
                    Document document = store.documents.get(MemoryStore.Row.of(seen.id()));
                    if (document != null && mayGo.test(document)) {
                        store.documents.remove(MemoryStore.Row.of(seen.id()));
                        store.room.add(-Room.of(document));
                        removed[0]++;
                    }
                });
            }
        }
        if (removed[0] > 0) {
            removeFurtherKeys();
        }
        return removed[0];
    }

    /** A further key goes when its document has gone, though it may have been made anew at another place. */
    private void removeFurtherKeys() {
        store.furtherKeys.forEach((row, id) -> {
            if (store.documentBehind(row, id) == null) {
                store.locked(id, () -> {
                    boolean gone = store.documentBehind(row, id) == null;
                    if (gone && store.furtherKeys.remove(row) != null) {
                        store.room.add(-Room.ofFurtherKey(row.key()));
                    }
                });
            }
        });
    }

    @Override
    public synchronized void log(List<Cleanup> cleanups) {
        store.refuseIfClosed();
        for (Cleanup cleanup : cleanups) {
            this.cleanups.addFirst(cleanup);
            if (this.cleanups.size() > MOST_CLEANUPS) {
                this.cleanups.removeLast();
            }
        }
    }

    @Override
    public synchronized List<Cleanup> cleanups(@Nullable Cleanup after, int limit) {
        store.refuseIfClosed();
        return cleanups.stream()
                .filter(cleanup -> after == null || Cleanup.LATEST_FIRST.compare(cleanup, after) > 0)
                .sorted(Cleanup.LATEST_FIRST)
                .limit(limit)
                .toList();
    }

    @Override
    public Map<String, Long> erase(String user, boolean withDocuments) {
        store.refuseIfClosed();
        long[] erased = {0};
        for (OnceRecord seen : store.onceRecords.values()) {
            if (seen.key().user().equals(user)) {
                store.locked(seen.key(), () -> {
                    OnceRecord record = store.onceRecords.get(seen.key());
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
