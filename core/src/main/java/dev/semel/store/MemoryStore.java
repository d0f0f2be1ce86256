package dev.semel.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps everything in memory: for tests, for trying things out, and for what may be forgotten when the process ends. It can do
 * all that a store can, and is bounded: when it is full it lets go of what is past its time, and then refuses to take more.
 *
 * <h2>How commits are one after another</h2>
 *
 * <p>Every row belongs, by its hash, to one of {@value #MOST_LOCKS} locks. A commit takes the locks of all rows it checks or
 * writes, in their order so that no two commits wait for each other in a circle, and holds them until all is written. Who reads
 * a row looks whether its lock was free all the while, and otherwise waits for it; who scans takes all locks. So nobody sees
 * half of a commit, and commits to different rows go on side by side.
 */
public final class MemoryStore implements Store {

    private static final int MOST_LOCKS = 256;
    private static final long DEFAULT_BYTES = 256L << 20;
    private static final int SPINS = 10;
    private static final int MANY_ROWS = 1 << 12;
    private static final long NO_ROOM = Long.MIN_VALUE;
    private static final String ABOVE_ALL_KEYS = "\uffff"; // which are ASCII
    private static final int RECEIPTS = 1 << 13;

    private final InstantSource clock;
    private final long maxBytes;
    final Room room;

    final Map<OnceKey, OnceRecord> onceRecords = new ConcurrentHashMap<>(MANY_ROWS);
    final NavigableMap<Row, Document> documents = new ConcurrentSkipListMap<>();
    final NavigableMap<Row, DocumentId> furtherKeys = new ConcurrentSkipListMap<>();
    final NewKeyLedger newKeys = new NewKeyLedger((user, since) -> List.of());
    private final Map<String, CommitResult> receipts = Collections.synchronizedMap(new Recent());

    private final Housekeeping housekeeping = new MemoryHousekeeping(this);

    private final StampedLock[] locks;
    private final Watchers watchers = new Watchers();
    private final AtomicLong lastFence = new AtomicLong();
    private final AtomicLong lastPlace = new AtomicLong();
    private final AtomicLong firstDeadline = new AtomicLong(Long.MAX_VALUE); // of what may be let go, in milliseconds
    private volatile boolean closed;

    /** A store of 256 MiB on the system's clock. */
    public MemoryStore() {
        this(InstantSource.system(), DEFAULT_BYTES);
    }

    /** @param maxBytes about how much it may hold */
    public MemoryStore(InstantSource clock, long maxBytes) {
        this(clock, maxBytes, MOST_LOCKS);
    }

    /**
     * @param maxBytes about how much it may hold
     * @param locks how many locks the rows share, a power of two up to {@value #MOST_LOCKS}; with fewer, more commits wait for each
     *     other
     */
    public MemoryStore(InstantSource clock, long maxBytes, int locks) {
        if (locks < 1 || locks > MOST_LOCKS || Integer.bitCount(locks) != 1) {
            throw new IllegalArgumentException("Not a power of two up to " + MOST_LOCKS + ": " + locks);
        }
        this.clock = clock;
        this.maxBytes = maxBytes;
        this.room = new Room(maxBytes);
        this.locks = new StampedLock[locks];
        for (int i = 0; i < locks; i++) {
            this.locks[i] = new StampedLock();
        }
    }

    /** Where a document, or one of its further keys, is in the order of keys. */
    record Row(String room, String owner, String key) implements Comparable<Row> {

        static Row of(DocumentId id) {
            return new Row(id.collection(), id.owner(), id.key());
        }

        static Row of(DocumentId id, FurtherKey further) {
            return new Row(room(id.collection(), further.name()), id.owner(), further.key());
        }

        /** No collection has a space in its name, so no room of further keys is taken for a collection. */
        static String room(String collection, String furtherKey) {
            return furtherKey.isEmpty() ? collection : collection + " " + furtherKey;
        }

        @Override
        public int compareTo(Row other) {
            int byRoom = room.compareTo(other.room);
            if (byRoom != 0) {
                return byRoom;
            }
            int byOwner = owner.compareTo(other.owner);
            return byOwner != 0 ? byOwner : key.compareTo(other.key);
        }
    }

    /** Answers to the latest commits that left no once-record to tell by. */
    private static final class Recent extends LinkedHashMap<String, CommitResult> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, CommitResult> eldest) {
            return size() > RECEIPTS;
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public Sighting find(OnceKey key, Quota quota) {
        refuseIfClosed();
        OnceRecord record = get(onceRecords, key, locks[stripe(key)]);
        Instant now = clock.instant();
        boolean mayBegin = record == null || record.isOverAt(now);
        return new Sighting(record, now, mayBegin ? newKeys.waitFor(key.user(), quota, now) : Duration.ZERO);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        refuseIfClosed();
        Document document = get(documents, Row.of(id), locks[stripe(id)]);
        return document == null || document.isExpiredAt(clock.instant()) ? Optional.empty() : Optional.of(document);
    }

    /** Reads a row while nobody writes to it. */
    private static <K, V> @Nullable V get(Map<K, V> rows, K key, StampedLock lock) {
        for (int spins = 0; spins < SPINS; spins++) {
            long stamp = lock.tryOptimisticRead();
            if (stamp != 0) {
                V row = rows.get(key);
                if (lock.validate(stamp)) {
                    return row;
                }
            }
            Thread.onSpinWait();
        }
        long stamp = lock.readLock();
        try {
            return rows.get(key);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    @Override
    public List<Document> scan(Scan scan) {
        refuseIfClosed();
        List<Document> found = new ArrayList<>();
        for (StampedLock lock : locks) {
            lock.readLock();
        }
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
            for (StampedLock lock : locks) {
                lock.tryUnlockRead();
            }
        }
        return found;
    }

    /** The rows that a scan goes through, in its direction. */
    private NavigableSet<Row> rows(Scan scan) {
        String room = Row.room(scan.collection(), scan.furtherKey());
        Row low = new Row(room, scan.owner(), ascii(scan.range().from()));
        Row high = new Row(
                room, scan.owner(), scan.range().to().map(MemoryStore::ascii).orElse(ABOVE_ALL_KEYS));
        boolean withLow = true;
        Row after = new Row(room, scan.owner(), scan.after());
        if (!scan.after().isEmpty() && scan.descending()) {
            high = after.compareTo(high) < 0 ? after : high;
        } else if (!scan.after().isEmpty() && after.compareTo(low) >= 0) {
            low = after;
            withLow = false;
        }
        if (low.compareTo(high) >= 0) {
            return Collections.emptyNavigableSet();
        }
        NavigableSet<Row> all =
                scan.furtherKey().isEmpty() ? documents.navigableKeySet() : furtherKeys.navigableKeySet();
        NavigableSet<Row> rows = all.subSet(low, withLow, high, false);
        return scan.descending() ? rows.descendingSet() : rows;
    }

    private @Nullable Document document(Row row, Scan scan) {
        if (scan.furtherKey().isEmpty()) {
            return documents.get(row);
        }
        DocumentId id = furtherKeys.get(row);
        return id == null ? null : documentBehind(row, id);
    }

    /** The document that a further key leads to; null if there is none, or if it has another place now. */
    @Nullable Document documentBehind(Row further, DocumentId id) {
        Document document = documents.get(Row.of(id));
        boolean hasMoved = document != null
                && further.room.equals(Row.room(id.collection(), FurtherKey.IN_ORDER))
                && !FurtherKey.endsWith(document.place(), further.key);
        return hasMoved ? null : document;
    }

    private static String ascii(byte[] key) {
        return new String(key, US_ASCII);
    }

    @Override
    public Housekeeping housekeeping() {
        return housekeeping;
    }

    /** Does something to a row while nobody else reads or writes it. */
    void locked(Object row, Runnable task) {
        StampedLock lock = locks[stripe(row)];
        lock(lock);
        try {
            task.run();
        } finally {
            lock.tryUnlockWrite();
        }
    }

    /** How much it holds, by an estimate. */
    public long takenBytes() {
        return room.taken(newKeys.users());
    }

    /** How much it may hold. */
    public long mostBytes() {
        return maxBytes;
    }

    @Override
    public CommitResult commit(Commit commit) {
        refuseIfClosed();
        CommitResult result = tryCommit(commit);
        if (result == null) {
            letGo();
            result = tryCommit(commit);
        }
        if (result == null) {
            throw StoreException.refused("The memory store is full: it may hold " + maxBytes + " bytes");
        }
        if (result instanceof CommitResult.Applied && commit.wantsPlace()) {
            watchers.tell();
        }
        return result;
    }

    @Override
    public Runnable watch(Runnable task) {
        return watchers.add(task);
    }

    /** Null if there is no room. */
    private @Nullable CommitResult tryCommit(Commit commit) {
        int[] stripes = stripes(commit);
        lockAll(stripes);
        try {
            CommitResult before = answerGivenBefore(commit);
            return before != null ? before : checkAndApply(commit);
        } finally {
            unlockAll(stripes);
        }
    }

    /** What was answered to the same attempt, if it was applied. */
    private @Nullable CommitResult answerGivenBefore(Commit commit) {
        OnceWrite once = commit.once();
        if (once == null) {
            return receipts.get(commit.attempt());
        }
        OnceRecord record = onceRecords.get(once.record().key());
        boolean sameAttempt = record != null && record.attempt().equals(commit.attempt());
        return sameAttempt ? new CommitResult.Applied(record) : null;
    }

    private @Nullable CommitResult checkAndApply(Commit commit) {
        Instant now = clock.instant();
        OnceWrite once = commit.once();
        OnceRecord current = once == null ? null : onceRecords.get(once.record().key());
        if (once != null && !once.expected().isMetBy(current)) {
            return new CommitResult.OnceChanged();
        }
        for (Map.Entry<DocumentId, String> expected : commit.writers().entrySet()) {
            Document document = documents.get(Row.of(expected.getKey()));
            Document live = document == null || document.isExpiredAt(now) ? null : document;
            if (!expected.getValue().equals(live == null ? "" : live.writtenBy())) {
                return new CommitResult.Stale(expected.getKey(), live == null ? 0 : live.version());
            }
        }
        long taken = takeRoom(commit);
        if (taken == NO_ROOM) {
            return null;
        }
        if (once != null && once.isNewKey()) {
            Duration wait = newKeys.begin(once.record().key().user(), once.quota(), now);
            if (!wait.isZero()) {
                room.add(-taken);
                return new CommitResult.Limited(wait);
            }
        }
        OnceRecord written = once == null ? null : once.stamp(commit.attempt(), lastFence::incrementAndGet, now);
        room.add(apply(commit, written, current) - taken);
        CommitResult applied = new CommitResult.Applied(written);
        if (once == null && !commit.writes().isEmpty()) {
            receipts.put(commit.attempt(), applied);
        }
        return applied;
    }

    /** Returns about how much larger the store is for it. */
    private long apply(Commit commit, @Nullable OnceRecord written, @Nullable OnceRecord current) {
        // taken with the locks held, and who scans waits for all locks: so nobody sees a place before those below it
        long place = commit.wantsPlace() ? lastPlace.incrementAndGet() : 0;
        long grown = 0;
        for (DocumentWrite write : commit.writes()) {
            grown += write instanceof DocumentWrite.Put put && put.wantsPlace() ? applyAt(place, put) : apply(write);
        }
        if (written != null) {
            onceRecords.put(written.key(), written);
            note(mayGo(written) ? written.deadline() : null);
            grown += Room.of(written) - (current == null ? 0 : Room.of(current));
        }
        return grown;
    }

    /** A document that is past its time may be there still, and found at another place. */
    private long applyAt(long place, DocumentWrite.Put put) {
        Document old = documents.get(Row.of(put.id()));
        return (old == null ? 0 : apply(put.removalOf(old))) + apply(put.at(place));
    }

    /** Returns about how much larger the store is for it. */
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
        for (FurtherKey further : write.furtherKeys()) {
            if (puts) {
                furtherKeys.put(Row.of(write.id(), further), write.id());
            } else {
                furtherKeys.remove(Row.of(write.id(), further));
            }
        }
        return grown - (old == null ? 0 : size(new DocumentWrite.Put(old, write.furtherKeys())));
    }

    /**
     * Takes at least the room that a commit needs, before anything is written. What was begun may always be brought to its end, by its
     * owner or by an operator, who leaves a note of it; and takes its room when it is.
     *
     * @return how much was taken, or {@link #NO_ROOM}
     */
    private long takeRoom(Commit commit) {
        if (isEnd(commit)) {
            return 0;
        }
        long needed = needed(commit);
        if (room.take(needed, newKeys.users())) {
            return needed;
        }
        long growth = needed - replaced(commit);
        return room.take(growth, newKeys.users()) ? growth : NO_ROOM;
    }

    private static boolean isEnd(Commit commit) {
        return commit.once() != null && commit.once().record().fence() != 0;
    }

    /** How much room there must be for what a commit writes, whatever it replaces. */
    private static long needed(Commit commit) {
        long needed = 0;
        for (DocumentWrite write : commit.writes()) {
            needed += write instanceof DocumentWrite.Put put ? size(put) : 0;
        }
        return needed + (commit.once() == null ? 0 : Room.of(commit.once().record()));
    }

    /** How much of it is there already. */
    private long replaced(Commit commit) {
        long replaced = 0;
        for (DocumentWrite write : commit.writes()) {
            Document old = documents.get(Row.of(write.id()));
            replaced += old == null ? 0 : size(new DocumentWrite.Put(old, write.furtherKeys()));
        }
        OnceRecord old = commit.once() == null
                ? null
                : onceRecords.get(commit.once().record().key());
        return replaced + (old == null ? 0 : Room.of(old));
    }

    private static long size(DocumentWrite.Put put) {
        long size = Room.of(put.document());
        for (FurtherKey further : put.furtherKeys()) {
            size += Room.of(further);
        }
        return size;
    }

    /** Notes when something may be let go. */
    private void note(@Nullable Instant deadline) {
        if (deadline != null && deadline.toEpochMilli() < firstDeadline.get()) {
            firstDeadline.accumulateAndGet(deadline.toEpochMilli(), Math::min);
        }
    }

    private static boolean mayGo(OnceRecord record) {
        return record.status() == OnceStatus.COMPLETED || record.status() == OnceStatus.FAILED;
    }

    /** Lets go of what is past its time. */
    private void letGo() {
        int[] all = IntStream.range(0, locks.length).toArray();
        lockAll(all);
        try {
            Instant now = clock.instant();
            newKeys.forgetIdle(now);
            if (now.toEpochMilli() < firstDeadline.get()) {
                return;
            }
            firstDeadline.set(Long.MAX_VALUE);
            onceRecords.values().stream().filter(MemoryStore::mayGo).forEach(record -> letGo(record, now));
            documents.values().removeIf(document -> letGo(document.expiresAt(), now, Room.of(document)));
            furtherKeys.entrySet().removeIf(further -> {
                boolean gone = documentBehind(further.getKey(), further.getValue()) == null;
                room.add(gone ? -Room.ofFurtherKey(further.getKey().key) : 0);
                return gone;
            });
        } finally {
            unlockAll(all);
        }
    }

    /** Its answer goes first, and its tombstone when it is forgotten: until then somebody may have to be told of it. */
    private void letGo(OnceRecord record, Instant now) {
        OnceRecord left = record.sweptAt(now);
        if (!record.equals(left)) {
            replace(record, left);
        }
        if (left != null) {
            note(left.isOverAt(now) ? left.forgottenAt() : left.deadline());
        }
    }

    /** Puts what is left of a record in its place, under its lock. */
    void replace(OnceRecord record, @Nullable OnceRecord left) {
        if (left == null) {
            onceRecords.remove(record.key());
        } else {
            onceRecords.put(record.key(), left);
        }
        room.add((left == null ? 0 : Room.of(left)) - Room.of(record));
    }

    private boolean letGo(@Nullable Instant deadline, Instant now, long size) {
        if (deadline == null || now.isBefore(deadline)) {
            note(deadline);
            return false;
        }
        room.add(-size);
        return true;
    }

    /** The locks of all rows that a commit checks or writes, in their order; some of them perhaps more than once. */
    private int[] stripes(Commit commit) {
        OnceWrite once = commit.once();
        int[] stripes = new int
                [(once == null ? 0 : 1)
                        + commit.writers().size()
                        + commit.writes().size()];
        int count = 0;
        if (once != null) {
            stripes[count++] = stripe(once.record().key());
        }
        for (DocumentId id : commit.writers().keySet()) {
            stripes[count++] = stripe(id);
        }
        for (DocumentWrite write : commit.writes()) {
            stripes[count++] = stripe(write.id());
        }
        Arrays.sort(stripes);
        return stripes;
    }

    private int stripe(Object row) {
        int hash = row.hashCode() * 0x9E3779B9;
        return (hash >>> 16) & (locks.length - 1);
    }

    private void lockAll(int[] ordered) {
        int last = -1;
        for (int stripe : ordered) {
            if (stripe != last) {
                lock(locks[stripe]);
            }
            last = stripe;
        }
    }

    /** Who waits for a commit waits for a microsecond, and waking up takes longer. */
    private static void lock(StampedLock lock) {
        for (int spins = 0; spins < SPINS; spins++) {
            if (lock.tryWriteLock() != 0) {
                return;
            }
            Thread.onSpinWait();
        }
        lock.writeLock();
    }

    private void unlockAll(int[] ordered) {
        int last = -1;
        for (int stripe : ordered) {
            if (stripe != last) {
                locks[stripe].tryUnlockWrite();
            }
            last = stripe;
        }
    }

    void refuseIfClosed() {
        if (closed) {
            throw StoreException.refused("The memory store is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
