package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.StoreException;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.internal.GroupCommit;
import dev.semel.store.internal.QuotaCounter;
import dev.semel.store.internal.RowLocks;
import dev.semel.store.internal.Watchers;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OnceStore.Lookup;
import dev.semel.store.spi.OrderedStore;
import dev.semel.store.spi.QuotaStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;

/**
 * A store in one directory, on RocksDB. Acknowledged writes survive a crash of the process, and a power failure if the store is
 * {@linkplain RocksDbSettings#synced synced}. One process can open a directory at a time. Thread-safe.
 *
 * <h2>Commits</h2>
 *
 * <p>A commit locks the rows that it checks or writes ({@link RowLocks}), checks its preconditions, encodes its writes into a {@link Batch},
 * writes the batch, and releases the locks. The rows are locked until the batch is on disk. So no commit checks its preconditions against a
 * write that a crash could undo, and if one commit writes a row of another, they take effect one after the other: commits are serializable.
 * Rows that a commit only checks are locked in shared mode, so commits that check the same row do not wait for each other. The commit id is
 * part of the batch, in the idempotency record or in the commit log. If the response of a commit is lost, the same commit can
 * be sent again, and the store returns the first result.
 *
 * <p>Lookups and scans take no locks. They may see a batch a moment before it is synced; a caller that acts on it through the store writes
 * to the same log, and therefore after it.
 *
 * <h2>Group commit</h2>
 *
 * <p>A commit is durable when the write-ahead log is synced. A sync takes from 50 µs to several milliseconds, depending on the disk, and
 * about as long for many batches as for one. So commits that are ready at the same time share a sync: {@link GroupCommit} passes their
 * batches to one of the waiting threads, which concatenates them to one write batch of RocksDB and writes it with {@code sync = true}.
 * RocksDB appends the batch to the log as one record with a checksum. After a crash, recovery applies the whole record or drops it, so a
 * group is atomic, and so is each commit in it. The threads of the other commits are unparked when the write has returned.
 *
 * <p>A commit that writes a row of another is never in one group with it, since locks are held until the group is on disk. This is why a group
 * needs no further checks, and why a hot row gets one commit per sync, however many callers wait for it.
 *
 * <p>Commit sequence numbers are assigned by the thread that writes the group, in the order of the batches. Groups are written one after
 * another, so a scan that sees a number sees all lower ones, too. The disk holds an upper bound of the numbers that may have been assigned
 * (hi/lo allocation). The bound is raised in the same write as the first number above it, so a crash skips numbers and never assigns one
 * twice.
 *
 * <p>If the write fails, for example on a full disk, it is unknown which bytes reached the log. Every commit of the group throws a
 * {@link StoreException} that is not {@linkplain StoreException#isCertain() certain}, and its caller resolves it by sending it again.
 *
 * <p>After each write, the store checks that its directory was not moved or deleted. RocksDB would not notice: it keeps its log open, and
 * would acknowledge commits to a file that no longer has a name.
 */
public final class RocksDbStore implements OrderedStore, QuotaStore, AdminStore {

    private final InstantSource clock;
    private final StoreDirectory folder;
    private final Database db;
    private final GroupCommit<Batch> writer;
    private final RowLocks locks = new RowLocks();
    private final QuotaCounter newKeys = new QuotaCounter(this::newKeysSince);
    private final Watchers watchers = new Watchers();
    private final Metrics metrics = new Metrics();
    private final StoreAdmin admin;
    private final SequenceCounter sequences;

    private RocksDbStore(StoreDirectory folder, Database db, InstantSource clock) {
        this.folder = folder;
        this.db = db;
        this.clock = clock;
        this.writer = new GroupCommit<>(this::writeTogether, Batch::length, Integer.MAX_VALUE);
        this.admin = new RocksDbAdmin(db, locks, writer, clock, newKeys, metrics);
        this.sequences = new SequenceCounter(db.get(db.meta, MetaRows.SEQUENCE));
    }

    /**
     * Opens the store in a directory, and creates it if it does not exist.
     *
     * @param clock the clock by which leases, records and documents expire
     * @throws StoreException if another store or process has opened the directory, if it contains other files or a store of another format,
     *     if the store is damaged, or if the disk fails
     */
    public static RocksDbStore open(Path path, RocksDbSettings settings, InstantSource clock) {
        StoreDirectory folder = StoreDirectory.take(path);
        try {
            Database database = folder.open(settings);
            try {
                return new RocksDbStore(folder, database, clock);
            } catch (RuntimeException e) {
                database.close();
                throw e;
            }
        } catch (RuntimeException e) {
            closeQuietly(folder);
            throw e;
        }
    }

    /** Returns whether a directory contains a store, of this or of another format version. */
    public static boolean exists(Path path) {
        return StoreDirectory.hasStore(path);
    }

    private static void closeQuietly(StoreDirectory folder) {
        try {
            folder.close();
        } catch (IOException e) {
            throw StoreException.rejected("Cannot close the lock file of the store: " + FileError.words(e));
        }
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public Lookup find(IdempotencyKey key, Quota quota) {
        IdempotencyRecord record = record(key);
        Instant now = clock.instant();
        boolean mayStart = record == null || record.isExpiredAt(now);
        return new Lookup(record, now, mayStart ? newKeys.waitFor(key.user(), quota, now) : Duration.ZERO);
    }

    private @Nullable IdempotencyRecord record(IdempotencyKey key) {
        byte[] value = db.get(db.records, RecordRows.key(key));
        return value == null ? null : RecordRows.record(key, value);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        Document document = document(id);
        return document == null || document.isExpiredAt(clock.instant()) ? Optional.empty() : Optional.of(document);
    }

    private @Nullable Document document(DocumentId id) {
        byte[] value = db.get(db.documents, DocumentRows.key(id));
        return value == null ? null : DocumentRows.document(id, value);
    }

    @Override
    public List<Document> scan(Scan scan) {
        return new DocumentScan(db, scan).run(clock);
    }

    @Override
    public CommitResult commit(Commit commit) {
        IdempotencyWrite recordWrite = commit.idempotencyWrite();
        RowLocks.Held held = lock(commit);
        try {
            if (recordWrite == null) {
                boolean applied = db.get(db.commitLog, commitLogEntry(commit)) != null;
                return applied ? new CommitResult.Applied(null) : checkAndWrite(commit, null);
            }
            IdempotencyKey key = recordWrite.record().key();
            IdempotencyRecord current = record(key);
            if (current != null && current.commitId().equals(commit.id())) {
                return new CommitResult.Applied(current);
            }
            return recordWrite.precondition().isMetBy(current)
                    ? checkAndWrite(commit, current)
                    : new CommitResult.RecordConflict();
        } finally {
            held.release();
        }
    }

    private static byte[] commitLogEntry(Commit commit) {
        return commit.id().getBytes(UTF_8);
    }

    /** Locks the rows of a commit, in shared mode those that it only checks. The lock of a document covers its index entries. */
    private RowLocks.Held lock(Commit commit) {
        List<byte[]> rows = new ArrayList<>();
        if (commit.idempotencyWrite() != null) {
            rows.add(RecordRows.key(commit.idempotencyWrite().record().key()));
        }
        commit.writes().forEach(write -> rows.add(DocumentRows.key(write.id())));
        return locks.lock(
                rows, commit.checkedOnly().stream().map(DocumentRows::key).toList());
    }

    private CommitResult checkAndWrite(Commit commit, @Nullable IdempotencyRecord current) {
        Instant now = clock.instant();
        IdempotencyWrite recordWrite = commit.idempotencyWrite();
        Batch batch = new Batch();
        for (Map.Entry<DocumentId, String> expected : commit.preconditions().entrySet()) {
            Document document = document(expected.getKey());
            Document live = document == null || document.isExpiredAt(now) ? null : document;
            if (!expected.getValue().equals(live == null ? "" : live.commitId())) {
                return new CommitResult.DocumentConflict(expected.getKey(), live == null ? 0 : live.version());
            }
            if (document != null && document.sequence() != 0) {
                deleteOldEntry(batch, document, commit);
            }
        }
        if (recordWrite == null || !recordWrite.isNewKey()) {
            return write(commit, current, now, batch);
        }
        String user = recordWrite.record().key().user();
        Duration wait = newKeys.start(user, recordWrite.quota(), now);
        if (!wait.isZero()) {
            return new CommitResult.QuotaExceeded(wait);
        }
        try {
            return write(commit, current, now, batch);
        } catch (StoreException e) {
            newKeys.undo(user, recordWrite.quota(), now);
            throw e;
        }
    }

    /** Deletes the entry in commit order of a document that is created again, because it expired or the same commit deletes it. */
    private void deleteOldEntry(Batch batch, Document old, Commit commit) {
        for (DocumentWrite write : commit.writes()) {
            if (write instanceof DocumentWrite.Put put
                    && put.needsSequence()
                    && put.id().equals(old.id())) {
                add(batch, put.deletionOf(old));
            }
        }
    }

    private CommitResult write(Commit commit, @Nullable IdempotencyRecord current, Instant now, Batch batch) {
        for (DocumentWrite write : commit.writes()) {
            if (write instanceof DocumentWrite.Put put && put.needsSequence()) {
                batch.unsequenced().add(put);
            } else {
                add(batch, write);
            }
        }
        IdempotencyWrite recordWrite = commit.idempotencyWrite();
        IdempotencyRecord written = null;
        if (recordWrite == null && commit.writes().isEmpty()) {
            return new CommitResult.Applied(null);
        }
        if (recordWrite == null) {
            batch.put(
                    db.commitLog.id(),
                    commit.id().getBytes(UTF_8),
                    new ByteWriter(10).addInstant(now).toBytes());
        } else {
            written = recordWrite.stamp(commit.id(), now);
            db.replace(batch, current, written);
            if (recordWrite.isNewKey() && current != null) {
                keepStart(batch, current, now);
            }
        }
        writer.write(batch);
        metrics.commits.increment();
        if (commit.notifiesWatchers()) {
            watchers.signal();
        }
        return new CommitResult.Applied(written);
    }

    /** Keeps the earlier start of a key that is started again, since quotas still count it. */
    private void keepStart(Batch batch, IdempotencyRecord earlier, Instant now) {
        byte[] start = MetaRows.startKey(earlier, now);
        if (start != null) {
            batch.put(db.meta.id(), start, MetaRows.startValue(earlier));
        }
    }

    private void add(Batch batch, DocumentWrite write) {
        byte[] row = DocumentRows.key(write.id());
        if (write instanceof DocumentWrite.Put put) {
            batch.put(db.documents.id(), row, DocumentRows.value(put.document(), put.indexEntries()));
        } else {
            batch.delete(db.documents.id(), row);
        }
        for (IndexEntry entry : write.indexEntries()) {
            byte[] indexRow = DocumentRows.key(write.id(), entry);
            if (write instanceof DocumentWrite.Put) {
                batch.put(db.indexEntries.id(), indexRow, DocumentRows.value(write.id()));
            } else {
                batch.delete(db.indexEntries.id(), indexRow);
            }
        }
    }

    /** Writes a group. Called by one thread at a time. */
    private void writeTogether(List<Batch> batches) {
        metrics.groups.increment();
        boolean inOrder = false;
        for (Batch batch : batches) {
            if (!batch.unsequenced().isEmpty()) {
                long sequence = sequences.next();
                batch.unsequenced().forEach(put -> add(batch, put.withSequence(sequence)));
                inOrder = true;
            }
        }
        if (!inOrder) {
            writeInPlace(batches);
            return;
        }
        Batch bound = new Batch();
        sequences.raiseBound(db.meta.id(), bound);
        List<Batch> all = new ArrayList<>(batches);
        all.add(bound);
        writeInPlace(all);
        sequences.written();
        watchers.signal();
    }

    /** Writes a group, and checks that it was written to the directory of the store before any commit is acknowledged. */
    private void writeInPlace(List<Batch> batches) {
        db.write(Batch.together(batches));
        try {
            folder.requireInPlace();
        } catch (StoreException e) {
            db.fail(e);
            throw e;
        }
    }

    @Override
    public boolean isExclusive() {
        return true;
    }

    @Override
    public Runnable watch(Runnable task) {
        return watchers.add(task);
    }

    /** Returns when a user started keys since a given time, in order. */
    private List<Instant> newKeysSince(String user, Instant since) {
        List<Instant> started = new ArrayList<>();
        Snapshot snapshot = db.snapshot();
        try {
            Consumer<Instant> counted = time -> {
                if (time.isAfter(since)) {
                    started.add(time);
                }
            };
            forEach(db.records, RecordRows.prefix(user), snapshot, row -> counted.accept(RecordRows.createdAt(row)));
            forEach(db.meta, MetaRows.startPrefix(user), snapshot, row -> counted.accept(MetaRows.startTime(row)));
        } finally {
            db.release(snapshot);
        }
        started.sort(null);
        return started;
    }

    private void forEach(Family family, byte[] prefix, Snapshot snapshot, Consumer<byte[]> action) {
        try (Slice end = new Slice(Rows.above(prefix));
                ReadOptions options = Database.reading().setSnapshot(snapshot).setIterateUpperBound(end);
                RocksIterator rows = db.iterator(family, options)) {
            for (rows.seek(prefix); rows.isValid(); rows.next()) {
                action.accept(rows.value());
            }
            rows.status();
        } catch (RocksDBException e) {
            throw Database.failed("scan", e);
        }
    }

    @Override
    public StoreAdmin admin() {
        return admin;
    }

    /**
     * Returns metrics by name. Counters start when the store is opened: {@code commits} that were acknowledged, {@code groups} in which they
     * were written, {@code log.syncs} and others. Gauges are {@code disk.bytes}, {@code disk.free.bytes}, {@code memory.bytes} and others. A
     * call takes some microseconds.
     *
     * @throws StoreException if the store is closed
     */
    public Map<String, Long> metrics() {
        return metrics.read(db, folder.freeBytes());
    }

    @Override
    public synchronized void close() {
        db.close();
        closeQuietly(folder);
    }
}
