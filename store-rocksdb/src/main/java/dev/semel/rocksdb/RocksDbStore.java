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
 * Keeps everything in one directory, durably: acknowledged writes survive a crash of the process and a power failure. One process at a
 * time.
 *
 * <p>A commit takes the locks of its rows, looks whether its preconditions hold, and writes. Callers that come at the same time
 * share the write to disk ({@link GroupCommit}); the locks are held until it is done, so nobody builds on what might not stay.
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
     * Opens the store in a folder, which is made if it is not there.
     *
     * @param clock what it takes for the time
     * @throws StoreException if another process has it open, or if it cannot be read or written; says which
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

    private static void closeQuietly(StoreDirectory folder) {
        try {
            folder.close();
        } catch (IOException e) {
            throw StoreException.rejected("Cannot release the directory: " + e);
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
    @SuppressWarnings("try") // what is held is let go at the end
    public CommitResult commit(Commit commit) {
        IdempotencyWrite recordWrite = commit.idempotencyWrite();
        RowLocks.Held held = locks.lock(rows(commit));
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

    /** The rows that a commit looks at or writes; index entries go with their documents. */
    private static List<byte[]> rows(Commit commit) {
        List<byte[]> rows = new ArrayList<>();
        if (commit.idempotencyWrite() != null) {
            rows.add(RecordRows.key(commit.idempotencyWrite().record().key()));
        }
        commit.preconditions().keySet().forEach(id -> rows.add(DocumentRows.key(id)));
        for (DocumentWrite write : commit.writes()) {
            if (!commit.preconditions().containsKey(write.id())) {
                rows.add(DocumentRows.key(write.id()));
            }
        }
        return rows;
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

    /** A document that is created again loses its old entry in commit order: it had expired, or the same commit deletes it. */
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
        return new CommitResult.Applied(written);
    }

    /** Keeps the start of a key that is started again, since it counts in the quota. */
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

    /** Called by one thread at a time. */
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
            db.write(Batch.together(batches));
            return;
        }
        Batch bound = new Batch();
        sequences.raiseBound(db.meta.id(), bound);
        List<Batch> all = new ArrayList<>(batches);
        all.add(bound);
        db.write(Batch.together(all));
        sequences.written();
        watchers.signal();
    }

    @Override
    public Runnable watch(Runnable task) {
        return watchers.add(task);
    }

    /** When a user started the keys that are stored. */
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
     * What it has done since it was opened, by name: {@code commits} that wrote something and were acknowledged, the {@code groups}
     * in which they were written, how often RocksDB has waited until its log was on disk, {@code log.syncs}, and more; and what it takes
     * up now, such as {@code disk.bytes} and {@code memory.bytes}, with what is left, {@code disk.free.bytes}. It costs some microseconds to ask.
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
