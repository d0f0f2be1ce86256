package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.FurtherKey;
import dev.semel.store.GroupWriter;
import dev.semel.store.Housekeeping;
import dev.semel.store.NewKeyLedger;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.RowLocks;
import dev.semel.store.Scan;
import dev.semel.store.Sighting;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.Watchers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;

/**
 * Keeps everything in one folder, durably: what was acknowledged is there after the process was killed or the power failed. One
 * process at a time.
 *
 * <p>A commit takes the locks of its rows, looks whether its preconditions hold, and writes. Callers that come at the same time
 * share the write to disk ({@link GroupWriter}); the locks are held until it is done, so nobody builds on what might not stay.
 */
public final class RocksDbStore implements Store {

    private static final Set<Capability> CAPABILITIES = Collections.unmodifiableSet(EnumSet.allOf(Capability.class));

    private static final byte[] FENCE = "fence".getBytes(US_ASCII);
    private static final byte[] PLACE = "place".getBytes(US_ASCII);

    private final InstantSource clock;
    private final Folder folder;
    private final Database db;
    private final GroupWriter<Batch> writer;
    private final RowLocks locks = new RowLocks();
    private final NewKeyLedger newKeys = new NewKeyLedger(this::newKeysSince);
    private final Watchers watchers = new Watchers();
    private final Metrics metrics = new Metrics();
    private final Housekeeping housekeeping;
    private final RisingNumber fences;
    private final RisingNumber places;

    private RocksDbStore(Folder folder, Database db, InstantSource clock) {
        this.folder = folder;
        this.db = db;
        this.clock = clock;
        this.writer = new GroupWriter<>(this::writeTogether, Batch::length, Integer.MAX_VALUE);
        this.housekeeping = new KeyKeeping(db, locks, writer, clock, newKeys, metrics);
        this.fences = new RisingNumber(FENCE, db.get(db.meta, FENCE));
        this.places = new RisingNumber(PLACE, db.get(db.meta, PLACE));
    }

    /**
     * Opens the store in a folder, which is made if it is not there.
     *
     * @param clock what it takes for the time
     * @throws StoreException if another process has it open, or if it cannot be read or written; says which
     */
    public static RocksDbStore open(Path path, RocksDbSettings settings, InstantSource clock) {
        Folder folder = Folder.take(path);
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

    private static void closeQuietly(Folder folder) {
        try {
            folder.close();
        } catch (IOException e) {
            throw StoreException.refused("Cannot let go of the folder: " + e);
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public Sighting find(OnceKey key, Quota quota) {
        OnceRecord record = onceRecord(key, Rows.key(key));
        Instant now = clock.instant();
        boolean mayBegin = record == null || record.isOverAt(now);
        return new Sighting(record, now, mayBegin ? newKeys.waitFor(key.user(), quota, now) : Duration.ZERO);
    }

    private @Nullable OnceRecord onceRecord(OnceKey key, byte[] row) {
        byte[] value = db.get(db.once, row);
        return value == null ? null : Rows.onceRecord(key, value);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        Document document = document(id);
        return document == null || document.isExpiredAt(clock.instant()) ? Optional.empty() : Optional.of(document);
    }

    private @Nullable Document document(DocumentId id) {
        byte[] value = db.get(db.documents, Rows.key(id));
        return value == null ? null : Rows.document(id, value);
    }

    @Override
    public List<Document> scan(Scan scan) {
        boolean further = !scan.furtherKey().isEmpty();
        byte[] room = Rows.documentKey(scan.collection(), scan.furtherKey(), scan.owner(), "");
        byte[] from = concat(room, scan.range().from());
        byte[] to = scan.range().to().map(end -> concat(room, end)).orElseGet(() -> Rows.behind(room));
        if (!scan.after().isEmpty()) {
            byte[] after = concat(room, scan.after().getBytes(US_ASCII));
            from = scan.descending() ? from : later(from, Rows.next(after));
            to = scan.descending() ? earlier(to, after) : to;
        }
        List<Document> found = new ArrayList<>();
        if (Arrays.compareUnsigned(from, to) >= 0) {
            return found;
        }
        Snapshot snapshot = db.snapshot();
        try (Slice begin = new Slice(from);
                Slice end = new Slice(to);
                ReadOptions options = Database.reading()
                        .setSnapshot(snapshot)
                        .setIterateLowerBound(begin)
                        .setIterateUpperBound(end);
                RocksIterator rows = db.iterator(further ? db.further : db.documents, options);
                ReadOptions reading = Database.reading().setSnapshot(snapshot)) {
            Instant now = clock.instant();
            if (scan.descending()) {
                rows.seekToLast();
            } else {
                rows.seekToFirst();
            }
            long bytes = 0;
            while (rows.isValid() && found.size() < scan.limit() && bytes < Scan.ENOUGH_BYTES) {
                Document document = further
                        ? documentBehind(scan, rows.key(), rows.value(), reading)
                        : Rows.document(id(scan, rows.key(), room.length), rows.value());
                if (document != null && !document.isExpiredAt(now)) {
                    found.add(document);
                    bytes += document.data().length();
                }
                if (scan.descending()) {
                    rows.prev();
                } else {
                    rows.next();
                }
            }
            rows.status();
        } catch (RocksDBException e) {
            throw Database.failed("scan", e);
        } finally {
            db.release(snapshot);
        }
        return found;
    }

    private static byte[] later(byte[] first, byte[] second) {
        return Arrays.compareUnsigned(first, second) > 0 ? first : second;
    }

    private static byte[] earlier(byte[] first, byte[] second) {
        return Arrays.compareUnsigned(first, second) < 0 ? first : second;
    }

    /** The document that a further key leads to; null if there is none, or if it has another place now. */
    private @Nullable Document documentBehind(Scan scan, byte[] row, byte[] key, ReadOptions options)
            throws RocksDBException {
        DocumentId id = new DocumentId(scan.collection(), scan.owner(), new String(key, US_ASCII));
        byte[] found = db.get(db.documents, options, Rows.key(id));
        if (found == null) {
            return null;
        }
        Document document = Rows.document(id, found);
        boolean hasMoved = scan.furtherKey().equals(FurtherKey.IN_ORDER)
                && !FurtherKey.endsWith(document.place(), new String(row, US_ASCII));
        return hasMoved ? null : document;
    }

    private static DocumentId id(Scan scan, byte[] row, int roomLength) {
        return new DocumentId(
                scan.collection(), scan.owner(), new String(row, roomLength, row.length - roomLength, UTF_8));
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    @Override
    @SuppressWarnings("try") // what is held is let go at the end
    public CommitResult commit(Commit commit) {
        OnceWrite once = commit.once();
        RowLocks.Held held = locks.lock(rows(commit));
        try {
            if (once == null) {
                boolean applied = db.get(db.receipts, receipt(commit)) != null;
                return applied ? new CommitResult.Applied(null) : checkAndWrite(commit, null);
            }
            OnceKey key = once.record().key();
            OnceRecord current = onceRecord(key, Rows.key(key));
            if (current != null && current.attempt().equals(commit.attempt())) {
                return new CommitResult.Applied(current);
            }
            return once.expected().isMetBy(current) ? checkAndWrite(commit, current) : new CommitResult.OnceChanged();
        } finally {
            held.release();
        }
    }

    private static byte[] receipt(Commit commit) {
        return commit.attempt().getBytes(UTF_8);
    }

    /** The rows that a commit looks at or writes; further keys go with their documents. */
    private static List<byte[]> rows(Commit commit) {
        List<byte[]> rows = new ArrayList<>();
        if (commit.once() != null) {
            rows.add(Rows.key(commit.once().record().key()));
        }
        commit.writers().keySet().forEach(id -> rows.add(Rows.key(id)));
        for (DocumentWrite write : commit.writes()) {
            if (!commit.writers().containsKey(write.id())) {
                rows.add(Rows.key(write.id()));
            }
        }
        return rows;
    }

    private CommitResult checkAndWrite(Commit commit, @Nullable OnceRecord current) {
        Instant now = clock.instant();
        OnceWrite once = commit.once();
        Batch batch = new Batch();
        for (Map.Entry<DocumentId, String> expected : commit.writers().entrySet()) {
            Document document = document(expected.getKey());
            Document live = document == null || document.isExpiredAt(now) ? null : document;
            if (!expected.getValue().equals(live == null ? "" : live.writtenBy())) {
                return new CommitResult.Stale(expected.getKey(), live == null ? 0 : live.version());
            }
            if (document != null && document.place() != 0) {
                removeFromOrder(batch, document, commit);
            }
        }
        if (once == null || !once.isNewKey()) {
            return write(commit, current, now, batch);
        }
        String user = once.record().key().user();
        Duration wait = newKeys.begin(user, once.quota(), now);
        if (!wait.isZero()) {
            return new CommitResult.Limited(wait);
        }
        try {
            return write(commit, current, now, batch);
        } catch (StoreException e) {
            newKeys.takeBack(user, once.quota(), now);
            throw e;
        }
    }

    /** A document that is made anew is no longer found at its old place: it was past its time, or the commit has removed it before. */
    private void removeFromOrder(Batch batch, Document old, Commit commit) {
        for (DocumentWrite write : commit.writes()) {
            if (write instanceof DocumentWrite.Put put
                    && put.wantsPlace()
                    && put.id().equals(old.id())) {
                add(batch, put.removalOf(old));
            }
        }
    }

    private CommitResult write(Commit commit, @Nullable OnceRecord current, Instant now, Batch batch) {
        for (DocumentWrite write : commit.writes()) {
            if (write instanceof DocumentWrite.Put put && put.wantsPlace()) {
                batch.toPlace().add(put);
            } else {
                add(batch, write);
            }
        }
        OnceWrite once = commit.once();
        OnceRecord written = null;
        if (once == null && commit.writes().isEmpty()) {
            return new CommitResult.Applied(null);
        }
        if (once == null) {
            batch.put(
                    db.receipts.id(),
                    commit.attempt().getBytes(UTF_8),
                    new ByteWriter(10).addInstant(now).toBytes());
        } else {
            written = once.stamp(commit.attempt(), fences::next, now);
            db.replace(batch, current, written);
            if (once.isNewKey() && current != null) {
                keepStart(batch, current, now);
            }
        }
        writer.write(batch);
        metrics.commits.increment();
        return new CommitResult.Applied(written);
    }

    /** That of a key which is begun anew. */
    private void keepStart(Batch batch, OnceRecord earlier, Instant now) {
        byte[] start = Rows.start(earlier, now);
        if (start != null) {
            batch.put(db.meta.id(), start, Rows.startedAt(earlier));
        }
    }

    private void add(Batch batch, DocumentWrite write) {
        byte[] row = Rows.key(write.id());
        if (write instanceof DocumentWrite.Put put) {
            batch.put(db.documents.id(), row, Rows.value(put.document(), put.furtherKeys()));
        } else {
            batch.delete(db.documents.id(), row);
        }
        for (FurtherKey further : write.furtherKeys()) {
            byte[] furtherRow = Rows.key(write.id(), further);
            if (write instanceof DocumentWrite.Put) {
                batch.put(db.further.id(), furtherRow, Rows.value(write.id()));
            } else {
                batch.delete(db.further.id(), furtherRow);
            }
        }
    }

    /** Called by one thread at a time. */
    private void writeTogether(List<Batch> batches) {
        metrics.groups.increment();
        for (Batch batch : batches) {
            if (!batch.toPlace().isEmpty()) {
                long place = places.next();
                batch.toPlace().forEach(put -> add(batch, put.at(place)));
            }
        }
        Batch numbers = new Batch();
        fences.keep(db.meta.id(), numbers);
        places.keep(db.meta.id(), numbers);
        List<Batch> all = new ArrayList<>(batches);
        all.add(numbers);
        db.write(Batch.together(all));
        fences.kept();
        places.kept();
        if (batches.stream().anyMatch(batch -> !batch.toPlace().isEmpty())) {
            watchers.tell();
        }
    }

    @Override
    public Runnable watch(Runnable task) {
        return watchers.add(task);
    }

    /** When a user began the keys that are still known. */
    private List<Instant> newKeysSince(String user, Instant since) {
        List<Instant> begun = new ArrayList<>();
        Snapshot snapshot = db.snapshot();
        try {
            Consumer<Instant> counted = time -> {
                if (time.isAfter(since)) {
                    begun.add(time);
                }
            };
            forEach(db.once, Rows.keysOf(user), snapshot, row -> counted.accept(Rows.createdAt(row)));
            forEach(db.meta, Rows.startsOf(user), snapshot, row -> counted.accept(Rows.startedAt(row)));
        } finally {
            db.release(snapshot);
        }
        begun.sort(null);
        return begun;
    }

    private void forEach(Family family, byte[] prefix, Snapshot snapshot, Consumer<byte[]> action) {
        try (Slice end = new Slice(Rows.behind(prefix));
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
    public Housekeeping housekeeping() {
        return housekeeping;
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
