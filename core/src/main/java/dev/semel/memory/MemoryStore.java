package dev.semel.memory;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.StoreException;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.internal.QuotaCounter;
import dev.semel.store.internal.Watchers;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OnceStore.Lookup;
import dev.semel.store.spi.OrderedStore;
import dev.semel.store.spi.QuotaStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory: for tests, for experiments, and for data that may be lost when the process ends. It has all capabilities of a store.
 * Its size is limited. A store that is full deletes expired data, and then rejects writes that would make it larger. Thread-safe.
 *
 * <h2>How commits are serialized</h2>
 *
 * <p>The technique is lock striping. Each row belongs, by its hash, to one of 256 locks. A commit takes the locks of all rows that it checks
 * or writes, and holds them until everything is written. It takes them in ascending order, so commits cannot deadlock. A lookup reads its
 * row optimistically, and waits for the lock if a commit held it meanwhile. A scan takes all locks for reading. So readers never see half
 * of a commit, and commits to different rows run in parallel.
 */
public final class MemoryStore implements OrderedStore, QuotaStore, AdminStore {

    private static final long DEFAULT_BYTES = 256L << 20;
    private static final int MANY_ROWS = 1 << 12;
    private static final long FULL = Long.MIN_VALUE;
    private static final String ABOVE_ALL_KEYS = "\uffff"; // keys are ASCII
    private static final int COMMIT_LOG_ENTRIES = 1 << 13;

    private final InstantSource clock;
    private final long maxBytes;
    final MemoryBudget budget;

    final Map<IdempotencyKey, IdempotencyRecord> records = new ConcurrentHashMap<>(MANY_ROWS);
    final NavigableMap<Row, Document> documents = new ConcurrentSkipListMap<>();
    final NavigableMap<Row, DocumentId> indexEntries = new ConcurrentSkipListMap<>();
    final QuotaCounter newKeys = new QuotaCounter((user, since) -> List.of());
    private final Map<String, CommitResult> commitLog = Collections.synchronizedMap(new Recent());

    private final StoreAdmin admin = new MemoryStoreAdmin(this);

    final StripedLocks locks;
    private final Watchers watchers = new Watchers();
    private final AtomicLong lastSequence = new AtomicLong();
    private final AtomicLong firstDeadline = new AtomicLong(Long.MAX_VALUE); // of evictable rows, in milliseconds
    private volatile boolean closed;

    /** Makes a store of up to 256 MiB, with the system's clock. */
    public MemoryStore() {
        this(InstantSource.system(), DEFAULT_BYTES);
    }

    /**
     * Makes a store.
     *
     * @param clock the clock by which leases, records and documents expire
     * @param maxBytes the approximate limit of its size
     */
    public MemoryStore(InstantSource clock, long maxBytes) {
        this(clock, maxBytes, StripedLocks.MOST);
    }

    /**
     * Makes a store.
     *
     * @param clock the clock by which leases, records and documents expire
     * @param maxBytes the approximate limit of its size
     * @param locks the number of locks, a power of two up to 256. With fewer locks, commits wait for each other more often
     * @throws IllegalArgumentException if the number of locks is not such a power of two
     */
    public MemoryStore(InstantSource clock, long maxBytes, int locks) {
        this.clock = clock;
        this.maxBytes = maxBytes;
        this.budget = new MemoryBudget(maxBytes);
        this.locks = new StripedLocks(locks);
    }

    /** The commit log: results of the latest commits that wrote no idempotency record. */
    private static final class Recent extends LinkedHashMap<String, CommitResult> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, CommitResult> eldest) {
            return size() > COMMIT_LOG_ENTRIES;
        }
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public Lookup find(IdempotencyKey key, Quota quota) {
        checkOpen();
        IdempotencyRecord record = locks.read(key, records, key);
        Instant now = clock.instant();
        boolean mayBegin = record == null || record.isExpiredAt(now);
        return new Lookup(record, now, mayBegin ? newKeys.waitFor(key.user(), quota, now) : Duration.ZERO);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        checkOpen();
        Document document = locks.read(id, documents, Row.of(id));
        return document == null || document.isExpiredAt(clock.instant()) ? Optional.empty() : Optional.of(document);
    }

    @Override
    public List<Document> scan(Scan scan) {
        checkOpen();
        List<Document> found = new ArrayList<>();
        locks.lockAllForReading();
        try {
            Instant now = clock.instant();
            long bytes = 0;
            for (Row row : rows(scan)) {
                if (found.size() == scan.limit() || bytes >= Scan.ENOUGH_BYTES) {
                    break;
                }
                Document document = document(row, scan);
                if (document != null && !document.isExpiredAt(now)) {
                    found.add(document);
                    bytes += document.data().length();
                }
            }
        } finally {
            locks.unlockAllForReading();
        }
        return found;
    }

    /** Returns the rows in the range of a scan, in its direction. */
    private NavigableSet<Row> rows(Scan scan) {
        String space = Row.space(scan.collection(), scan.index());
        Row low = new Row(space, scan.owner(), ascii(scan.range().from()));
        Row high = new Row(
                space, scan.owner(), scan.range().to().map(MemoryStore::ascii).orElse(ABOVE_ALL_KEYS));
        boolean withLow = true;
        Row after = new Row(space, scan.owner(), scan.after());
        if (!scan.after().isEmpty() && scan.descending()) {
            high = after.compareTo(high) < 0 ? after : high;
        } else if (!scan.after().isEmpty() && after.compareTo(low) >= 0) {
            low = after;
            withLow = false;
        }
        if (low.compareTo(high) >= 0) {
            return Collections.emptyNavigableSet();
        }
        NavigableSet<Row> all = scan.index().isEmpty() ? documents.navigableKeySet() : indexEntries.navigableKeySet();
        NavigableSet<Row> rows = all.subSet(low, withLow, high, false);
        return scan.descending() ? rows.descendingSet() : rows;
    }

    private @Nullable Document document(Row row, Scan scan) {
        if (scan.index().isEmpty()) {
            return documents.get(row);
        }
        DocumentId id = indexEntries.get(row);
        return id == null ? null : documentOf(row, id);
    }

    /** Returns the document of an index entry; null if there is none, or if it was created again with another sequence number. */
    @Nullable Document documentOf(Row entry, DocumentId id) {
        Document document = documents.get(Row.of(id));
        boolean hasMoved = document != null
                && entry.space().equals(Row.space(id.collection(), IndexEntry.COMMIT_ORDER))
                && !IndexEntry.endsWith(document.sequence(), entry.key());
        return hasMoved ? null : document;
    }

    private static String ascii(byte[] key) {
        return new String(key, US_ASCII);
    }

    @Override
    public StoreAdmin admin() {
        return admin;
    }

    /** Returns the estimated size of the stored data in bytes. */
    public long takenBytes() {
        return budget.taken(newKeys.users());
    }

    /** Returns the limit of the size in bytes. */
    public long mostBytes() {
        return maxBytes;
    }

    @Override
    public CommitResult commit(Commit commit) {
        checkOpen();
        CommitResult result = tryCommit(commit);
        if (result == null) {
            evict();
            result = tryCommit(commit);
        }
        if (result == null) {
            throw StoreException.rejected("The memory store is full: its limit is " + maxBytes + " bytes");
        }
        if (result instanceof CommitResult.Applied && (commit.needsSequence() || commit.notifiesWatchers())) {
            watchers.signal();
        }
        return result;
    }

    @Override
    public boolean isExclusive() {
        return true;
    }

    @Override
    public Runnable watch(Runnable task) {
        return watchers.add(task);
    }

    /** Returns null if the store is full. */
    private @Nullable CommitResult tryCommit(Commit commit) {
        int[] stripes = stripes(commit);
        locks.lock(stripes);
        try {
            CommitResult before = resultOfSameCommit(commit);
            return before != null ? before : checkAndApply(commit);
        } finally {
            locks.unlock(stripes);
        }
    }

    /** Returns the first result of a commit that was sent before and applied; otherwise null. */
    private @Nullable CommitResult resultOfSameCommit(Commit commit) {
        IdempotencyWrite change = commit.idempotencyWrite();
        if (change == null) {
            return commitLog.get(commit.id());
        }
        IdempotencyRecord record = records.get(change.record().key());
        boolean sameAttempt = record != null && record.commitId().equals(commit.id());
        return sameAttempt ? new CommitResult.Applied(record) : null;
    }

    private @Nullable CommitResult checkAndApply(Commit commit) {
        Instant now = clock.instant();
        IdempotencyWrite change = commit.idempotencyWrite();
        IdempotencyRecord current =
                change == null ? null : records.get(change.record().key());
        if (change != null && !change.precondition().isMetBy(current)) {
            return new CommitResult.RecordConflict();
        }
        for (Map.Entry<DocumentId, String> expected : commit.preconditions().entrySet()) {
            Document document = documents.get(Row.of(expected.getKey()));
            Document live = document == null || document.isExpiredAt(now) ? null : document;
            if (!expected.getValue().equals(live == null ? "" : live.commitId())) {
                return new CommitResult.DocumentConflict(expected.getKey(), live == null ? 0 : live.version());
            }
        }
        long taken = reserve(commit);
        if (taken == FULL) {
            return null;
        }
        if (change != null && change.isNewKey()) {
            Duration wait = newKeys.start(change.record().key().user(), change.quota(), now);
            if (!wait.isZero()) {
                budget.add(-taken);
                return new CommitResult.QuotaExceeded(wait);
            }
        }
        IdempotencyRecord written = change == null ? null : change.stamp(commit.id(), now);
        budget.add(apply(commit, written, current) - taken);
        CommitResult applied = new CommitResult.Applied(written);
        if (change == null && !commit.writes().isEmpty()) {
            commitLog.put(commit.id(), applied);
        }
        return applied;
    }

    /** Writes, and returns by how much the store has grown. */
    private long apply(Commit commit, @Nullable IdempotencyRecord written, @Nullable IdempotencyRecord current) {
        // Assigned while the locks are held. A scan waits for all locks, so it never sees a number before a lower one.
        long sequence = commit.needsSequence() ? lastSequence.incrementAndGet() : 0;
        long grown = 0;
        for (DocumentWrite write : commit.writes()) {
            grown += write instanceof DocumentWrite.Put put && put.needsSequence()
                    ? applyWithSequence(sequence, put)
                    : apply(write);
        }
        if (written != null) {
            records.put(written.key(), written);
            note(mayBeEvicted(written) ? written.deadline() : null);
            grown += MemoryBudget.of(written) - (current == null ? 0 : MemoryBudget.of(current));
        }
        return grown;
    }

    /** Deletes the expired document with the same key first, if there is one: its index entry has another sequence number. */
    private long applyWithSequence(long sequence, DocumentWrite.Put put) {
        Document old = documents.get(Row.of(put.id()));
        return (old == null ? 0 : apply(put.deletionOf(old))) + apply(put.withSequence(sequence));
    }

    /** Writes, and returns by how much the store has grown. */
    private long apply(DocumentWrite write) {
        Row row = Row.of(write.id());
        boolean puts = write instanceof DocumentWrite.Put;
        Document old;
        long grown = 0;
        if (write instanceof DocumentWrite.Put put) {
            old = documents.put(row, put.document());
            grown = size(put);
            note(put.document().expiresAt());
        } else {
            old = documents.remove(row);
        }
        for (IndexEntry entry : write.indexEntries()) {
            if (puts) {
                indexEntries.put(Row.of(write.id(), entry), write.id());
            } else {
                indexEntries.remove(Row.of(write.id(), entry));
            }
        }
        return grown - (old == null ? 0 : size(new DocumentWrite.Put(old, write.indexEntries())));
    }

    /**
     * Reserves the space that a commit needs, before anything is written. The write that ends an operation is always accepted, even if the
     * store is full, and is counted afterwards.
     *
     * @return the reserved bytes, or {@link #FULL}
     */
    private long reserve(Commit commit) {
        if (isEnd(commit)) {
            return 0;
        }
        long needed = needed(commit);
        if (budget.take(needed, newKeys.users())) {
            return needed;
        }
        long growth = needed - replaced(commit);
        return budget.take(growth, newKeys.users()) ? growth : FULL;
    }

    private static boolean isEnd(Commit commit) {
        return commit.idempotencyWrite() != null
                && commit.idempotencyWrite().record().fencingToken() != 0;
    }

    /** Returns the size of the rows that a commit writes. */
    private static long needed(Commit commit) {
        long needed = 0;
        for (DocumentWrite write : commit.writes()) {
            needed += write instanceof DocumentWrite.Put put ? size(put) : 0;
        }
        return needed
                + (commit.idempotencyWrite() == null
                        ? 0
                        : MemoryBudget.of(commit.idempotencyWrite().record()));
    }

    /** Returns the size of the rows that a commit replaces. */
    private long replaced(Commit commit) {
        long replaced = 0;
        for (DocumentWrite write : commit.writes()) {
            Document old = documents.get(Row.of(write.id()));
            replaced += old == null ? 0 : size(new DocumentWrite.Put(old, write.indexEntries()));
        }
        IdempotencyRecord old = commit.idempotencyWrite() == null
                ? null
                : records.get(commit.idempotencyWrite().record().key());
        return replaced + (old == null ? 0 : MemoryBudget.of(old));
    }

    private static long size(DocumentWrite.Put put) {
        long size = MemoryBudget.of(put.document());
        for (IndexEntry entry : put.indexEntries()) {
            size += MemoryBudget.of(entry);
        }
        return size;
    }

    /** Keeps the earliest time at which a row can be evicted. */
    private void note(@Nullable Instant deadline) {
        if (deadline != null && deadline.toEpochMilli() < firstDeadline.get()) {
            firstDeadline.accumulateAndGet(deadline.toEpochMilli(), Math::min);
        }
    }

    private static boolean mayBeEvicted(IdempotencyRecord record) {
        return record.status() == Status.COMPLETED || record.status() == Status.FAILED;
    }

    private void evict() {
        int[] all = locks.all();
        locks.lock(all);
        try {
            Instant now = clock.instant();
            newKeys.forgetIdle(now);
            if (now.toEpochMilli() < firstDeadline.get()) {
                return;
            }
            firstDeadline.set(Long.MAX_VALUE);
            records.values().stream().filter(MemoryStore::mayBeEvicted).forEach(record -> evict(record, now));
            documents.values().removeIf(document -> evict(document.expiresAt(), now, MemoryBudget.of(document)));
            indexEntries.entrySet().removeIf(entry -> {
                boolean gone = documentOf(entry.getKey(), entry.getValue()) == null;
                budget.add(gone ? -MemoryBudget.ofIndexEntry(entry.getKey().key()) : 0);
                return gone;
            });
        } finally {
            locks.unlock(all);
        }
    }

    /** Deletes the response of an expired record, or the whole record once its tombstone may be purged. */
    private void evict(IdempotencyRecord record, Instant now) {
        IdempotencyRecord left = record.sweptAt(now);
        if (!record.equals(left)) {
            replace(record, left);
        }
        if (left != null) {
            note(left.isExpiredAt(now) ? left.purgeAt() : left.deadline());
        }
    }

    /** Replaces a record; null deletes it. The caller holds its lock. */
    void replace(IdempotencyRecord record, @Nullable IdempotencyRecord left) {
        if (left == null) {
            records.remove(record.key());
        } else {
            records.put(record.key(), left);
        }
        budget.add((left == null ? 0 : MemoryBudget.of(left)) - MemoryBudget.of(record));
    }

    private boolean evict(@Nullable Instant deadline, Instant now, long size) {
        if (deadline == null || now.isBefore(deadline)) {
            note(deadline);
            return false;
        }
        budget.add(-size);
        return true;
    }

    /** Returns the locks of all rows that a commit checks or writes, in ascending order. A lock may occur more than once. */
    private int[] stripes(Commit commit) {
        IdempotencyWrite change = commit.idempotencyWrite();
        int[] stripes = new int
                [(change == null ? 0 : 1)
                        + commit.preconditions().size()
                        + commit.writes().size()];
        int count = 0;
        if (change != null) {
            stripes[count++] = locks.stripe(change.record().key());
        }
        for (DocumentId id : commit.preconditions().keySet()) {
            stripes[count++] = locks.stripe(id);
        }
        for (DocumentWrite write : commit.writes()) {
            stripes[count++] = locks.stripe(write.id());
        }
        Arrays.sort(stripes);
        return stripes;
    }

    void checkOpen() {
        if (closed) {
            throw StoreException.rejected("The store is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
