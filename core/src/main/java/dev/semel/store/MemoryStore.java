package dev.semel.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.semel.key.KeyRange;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps everything in memory: for tests, for trying things out, and for what may be forgotten when the process ends. It can do
 * all that a store can, and is bounded: when it is full it lets go of what is past its time, and then refuses to take more.
 *
 * <h2>How commits are one after another</h2>
 *
 * <p>Every row belongs, by its hash, to one of {@value #STRIPES} locks. A commit takes the locks of all rows it checks or
 * writes, in their order so that no two commits wait for each other in a circle, and holds them until all is written. Who reads
 * a row looks whether its lock was free all the while, and otherwise waits for it; who scans takes all locks. So nobody sees
 * half of a commit, and commits to different rows go on side by side.
 */
public final class MemoryStore implements Store {

    private static final int STRIPES = 32;
    private static final long ALL = (1L << STRIPES) - 1;
    private static final long DEFAULT_BYTES = 256L << 20;
    private static final int RECEIPTS = 1 << 16;

    private final InstantSource clock;
    private final long maxBytes;

    private final Map<OnceKey, OnceRecord> onceRecords = new ConcurrentHashMap<>();
    private final NavigableMap<Row, Document> documents = new ConcurrentSkipListMap<>();
    private final NavigableMap<Row, DocumentId> furtherKeys = new ConcurrentSkipListMap<>();
    private final Map<Counted, ArrayDeque<Instant>> newKeys = new ConcurrentHashMap<>();
    private final Map<String, CommitResult> receipts = Collections.synchronizedMap(new Recent());

    private final StampedLock[] locks = new StampedLock[STRIPES];
    private final AtomicLong lastFence = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private Instant nothingOverBefore = Instant.MIN; // under all locks
    private volatile boolean closed;

    /** A store of 256 MiB on the system's clock. */
    public MemoryStore() {
        this(InstantSource.system(), DEFAULT_BYTES);
    }

    /** @param maxBytes about how much it may hold */
    public MemoryStore(InstantSource clock, long maxBytes) {
        this.clock = clock;
        this.maxBytes = maxBytes;
        for (int i = 0; i < STRIPES; i++) {
            locks[i] = new StampedLock();
        }
    }

    /** Where a document, or one of its further keys, is in the order of keys. */
    private record Row(String room, String owner, String key) implements Comparable<Row> {

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

    /** Whose new keys are counted, and over what time. */
    private record Counted(String user, Duration window) {}

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
        StampedLock lock = locks[stripe(key)];
        long stamp = lock.tryOptimisticRead();
        OnceRecord record = onceRecords.get(key);
        if (!lock.validate(stamp)) {
            stamp = lock.readLock();
            try {
                record = onceRecords.get(key);
            } finally {
                lock.unlockRead(stamp);
            }
        }
        Instant now = clock.instant();
        boolean mayBegin = record == null || record.isOverAt(now);
        Duration wait = mayBegin && quota.isLimited() ? quotaWait(key.user(), quota, now) : Duration.ZERO;
        return new Sighting(record, now, wait);
    }

    private Duration quotaWait(String user, Quota quota, Instant now) {
        StampedLock lock = locks[stripe(user)];
        long stamp = lock.writeLock();
        try {
            return countedWait(user, quota, now);
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** How long until a user may begin another key; under the user's lock. */
    private Duration countedWait(String user, Quota quota, Instant now) {
        Counted counted = new Counted(user, quota.window());
        ArrayDeque<Instant> begun = newKeys.get(counted);
        if (begun == null) {
            return Duration.ZERO;
        }
        Instant windowStart = now.minus(quota.window());
        while (!begun.isEmpty() && !begun.getFirst().isAfter(windowStart)) {
            begun.removeFirst();
        }
        if (begun.isEmpty()) {
            newKeys.remove(counted);
        }
        if (begun.size() < quota.limit()) {
            return Duration.ZERO;
        }
        Instant leaves =
                begun.stream().skip(begun.size() - quota.limit()).findFirst().orElseThrow();
        return Duration.between(windowStart, leaves);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        refuseIfClosed();
        Row row = Row.of(id);
        StampedLock lock = locks[stripe(id)];
        long stamp = lock.tryOptimisticRead();
        Document document = documents.get(row);
        if (!lock.validate(stamp)) {
            stamp = lock.readLock();
            try {
                document = documents.get(row);
            } finally {
                lock.unlockRead(stamp);
            }
        }
        return document == null || document.isExpiredAt(clock.instant()) ? Optional.empty() : Optional.of(document);
    }

    @Override
    public List<Document> scan(Scan scan) {
        refuseIfClosed();
        String room = Row.room(scan.collection(), scan.furtherKey());
        Row from = new Row(room, scan.owner(), ascii(scan.range().from()));
        Row after = new Row(room, scan.owner(), scan.after());
        boolean goesOn = after.compareTo(from) >= 0 && !scan.after().isEmpty();
        List<Document> found = new ArrayList<>();
        for (StampedLock lock : locks) {
            lock.readLock();
        }
        try {
            Instant now = clock.instant();
            for (Row row :
                    (goesOn ? rows(scan).tailMap(after, false) : rows(scan).tailMap(from, true)).keySet()) {
                if (found.size() == scan.limit() || isBehind(row, room, scan.owner(), scan.range())) {
                    break;
                }
                Document document = document(row, scan);
                if (document != null && !document.isExpiredAt(now)) {
                    found.add(document);
                }
            }
        } finally {
            for (StampedLock lock : locks) {
                lock.tryUnlockRead();
            }
        }
        return found;
    }

    private NavigableMap<Row, ?> rows(Scan scan) {
        return scan.furtherKey().isEmpty() ? documents : furtherKeys;
    }

    private @Nullable Document document(Row row, Scan scan) {
        if (scan.furtherKey().isEmpty()) {
            return documents.get(row);
        }
        DocumentId id = furtherKeys.get(row);
        return id == null ? null : documents.get(Row.of(id));
    }

    private static boolean isBehind(Row row, String room, String owner, KeyRange range) {
        return !row.room.equals(room) || !row.owner.equals(owner) || !range.contains(row.key);
    }

    private static String ascii(byte[] key) {
        return new String(key, US_ASCII);
    }

    @Override
    public CommitResult commit(Commit commit) {
        refuseIfClosed();
        if (isFullFor(commit)) {
            letGo();
        }
        long stripes = stripes(commit);
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

    private CommitResult checkAndApply(Commit commit) {
        Instant now = clock.instant();
        OnceWrite once = commit.once();
        OnceRecord current = once == null ? null : onceRecords.get(once.record().key());
        if (once != null && !once.expected().isMetBy(current)) {
            return new CommitResult.OnceChanged();
        }
        for (Map.Entry<DocumentId, Long> expected : commit.versions().entrySet()) {
            Document document = documents.get(Row.of(expected.getKey()));
            long version = document == null || document.isExpiredAt(now) ? 0 : document.version();
            if (version != expected.getValue()) {
                return new CommitResult.Stale(expected.getKey(), version);
            }
        }
        if (once != null && once.isNewKey() && once.quota().isLimited()) {
            Duration wait = countedWait(once.record().key().user(), once.quota(), now);
            if (!wait.isZero()) {
                return new CommitResult.Limited(wait);
            }
        }
        if (isFullFor(commit)) {
            throw StoreException.refused("The memory store is full: it may hold " + maxBytes + " bytes");
        }
        commit.writes().forEach(this::apply);
        OnceRecord written = once == null ? null : apply(commit.attempt(), once, current, now);
        CommitResult applied = new CommitResult.Applied(written);
        if (once == null) {
            receipts.put(commit.attempt(), applied);
        }
        return applied;
    }

    private void apply(DocumentWrite write) {
        Row row = Row.of(write.id());
        Document old;
        if (write instanceof DocumentWrite.Put put) {
            old = documents.put(row, put.document());
            bytes.addAndGet(size(put.document()));
        } else {
            old = documents.remove(row);
        }
        bytes.addAndGet(old == null ? 0 : -size(old));
        for (FurtherKey further : write.furtherKeys()) {
            if (write instanceof DocumentWrite.Put) {
                furtherKeys.put(Row.of(write.id(), further), write.id());
            } else {
                furtherKeys.remove(Row.of(write.id(), further));
            }
        }
    }

    private OnceRecord apply(String attempt, OnceWrite once, @Nullable OnceRecord old, Instant now) {
        OnceRecord written = once.stamp(attempt, lastFence::incrementAndGet, now);
        onceRecords.put(written.key(), written);
        bytes.addAndGet(size(written) - (old == null ? 0 : size(old)));
        if (once.isNewKey() && once.quota().isLimited()) {
            newKeys.computeIfAbsent(
                            new Counted(written.key().user(), once.quota().window()), counted -> new ArrayDeque<>())
                    .addLast(now);
        }
        return written;
    }

    /** Whether there is no room for a commit. What was begun may always be brought to its end. */
    private boolean isFullFor(Commit commit) {
        OnceWrite once = commit.once();
        long needed = once == null || once.record().fence() != 0 ? 0 : size(once.record());
        for (DocumentWrite write : commit.writes()) {
            needed += write instanceof DocumentWrite.Put put ? size(put.document()) : 0;
        }
        return needed > 0 && bytes.get() + needed > maxBytes;
    }

    /** Lets go of what is past its time. */
    private void letGo() {
        lockAll(ALL);
        try {
            Instant now = clock.instant();
            if (now.isBefore(nothingOverBefore)) {
                return;
            }
            nothingOverBefore = Instant.MAX;
            onceRecords.values().removeIf(record -> {
                boolean mayGo = record.status() == OnceStatus.COMPLETED || record.status() == OnceStatus.FAILED;
                return mayGo && letGo(record.deadline(), now, size(record));
            });
            documents.values().removeIf(document -> letGo(document.expiresAt(), now, size(document)));
            furtherKeys.values().removeIf(id -> !documents.containsKey(Row.of(id)));
            newKeys.values().removeIf(ArrayDeque::isEmpty);
        } finally {
            unlockAll(ALL);
        }
    }

    private boolean letGo(@Nullable Instant deadline, Instant now, long size) {
        if (deadline == null) {
            return false;
        }
        if (now.isBefore(deadline)) {
            nothingOverBefore = deadline.isBefore(nothingOverBefore) ? deadline : nothingOverBefore;
            return false;
        }
        bytes.addAndGet(-size);
        return true;
    }

    /** About how much memory a row takes, with the maps' own. */
    private static long size(OnceRecord record) {
        Response response = record.response();
        OnceKey key = record.key();
        return 400
                + key.key().length()
                + key.user().length()
                + key.endpoint().length()
                + record.clientTxId().length()
                + (response == null ? 0 : response.size());
    }

    private static long size(Document document) {
        return 400 + 3L * document.key().length() + document.data().length();
    }

    private long stripes(Commit commit) {
        long stripes = 0;
        OnceWrite once = commit.once();
        if (once != null) {
            stripes |= 1L << stripe(once.record().key());
            if (once.isNewKey() && once.quota().isLimited()) {
                stripes |= 1L << stripe(once.record().key().user());
            }
        }
        for (DocumentId id : commit.versions().keySet()) {
            stripes |= 1L << stripe(id);
        }
        for (DocumentWrite write : commit.writes()) {
            stripes |= 1L << stripe(write.id());
        }
        return stripes;
    }

    private static int stripe(Object row) {
        int hash = row.hashCode() * 0x9E3779B9;
        return hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(STRIPES));
    }

    private void lockAll(long stripes) {
        for (long rest = stripes; rest != 0; rest &= rest - 1) {
            locks[Long.numberOfTrailingZeros(rest)].writeLock();
        }
    }

    private void unlockAll(long stripes) {
        for (long rest = stripes; rest != 0; rest &= rest - 1) {
            locks[Long.numberOfTrailingZeros(rest)].tryUnlockWrite();
        }
    }

    private void refuseIfClosed() {
        if (closed) {
            throw StoreException.refused("The memory store is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
