package dev.semel.rocksdb;

import dev.semel.rocksdb.Database.RowRange;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.StoreAdmin.KeyPage;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.admin.StoreAdmin.SweepStep;
import dev.semel.store.internal.GroupCommit;
import dev.semel.store.internal.QuotaCounter;
import dev.semel.store.internal.RowLocks;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.KeyStatus;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;

/**
 * Administration of a store on RocksDB. Records are sorted by user, endpoint and key, and a list seeks past the ranges that do not match
 * its query. Keys that are not completed, and keys of a client transaction, are found by separate rows.
 */
final class RocksDbAdmin implements StoreAdmin {

    /** The most records that are read for a page. */
    private static final int MOST_LOOKS = 10_000;

    /** The most rows of {@link Database#incomplete} that are skipped for a page. This is much faster than reading records. */
    private static final int MOST_PASSED = 200_000;

    private static final int ROWS_AT_A_TIME = 100;
    private static final int MOST_CLEANUPS = 10_000;

    private final Database db;
    private final RowLocks locks;
    private final GroupCommit<Batch> writer;
    private final InstantSource clock;
    private final QuotaCounter newKeys;
    private final Metrics metrics;
    private final Sweep sweep;

    RocksDbAdmin(
            Database db,
            RowLocks locks,
            GroupCommit<Batch> writer,
            InstantSource clock,
            QuotaCounter newKeys,
            Metrics metrics) {
        this.db = db;
        this.locks = locks;
        this.writer = writer;
        this.clock = clock;
        this.newKeys = newKeys;
        this.metrics = metrics;
        this.sweep = new Sweep(db, locks, writer, clock);
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public KeyPage list(KeyQuery query) {
        return new Listing(query, clock.instant()).run();
    }

    /** Finds one page of a listing of keys. */
    private final class Listing {
        private final KeyQuery query;
        private final Instant now;
        private final boolean byClientTx;
        private final Family family;
        private final List<IdempotencyRecord> found = new ArrayList<>();

        Listing(KeyQuery query, Instant now) {
            this.query = query;
            this.now = now;
            this.byClientTx = query.clientTxId() != null && query.user() != null;
            this.family = byClientTx ? db.clientTxIds : query.asksForOpen() ? db.incomplete : db.records;
        }

        KeyPage run() {
            byte[] prefix = prefix();
            IdempotencyKey after = query.after() == null ? null : IdempotencyKey.ofCursor(query.after());
            byte[] from = after == null ? prefix : Rows.next(rowOf(after));
            Snapshot snapshot = db.snapshot();
            try (ReadOptions options = Database.reading().setSnapshot(snapshot).setFillCache(false);
                    RocksIterator rows = db.iterator(family, options)) {
                rows.seek(Arrays.compareUnsigned(from, prefix) < 0 ? prefix : from);
                int looks = 0;
                int passed = 0;
                IdempotencyKey last = after;
                while (rows.isValid() && Rows.startsWith(rows.key(), prefix)) {
                    if (found.size() == query.limit() || looks == MOST_LOOKS || passed == MOST_PASSED) {
                        return page(Optional.of(Objects.requireNonNull(last).cursor()));
                    }
                    byte[] row = byClientTx ? RecordRows.recordKey(rows.key()) : rows.key();
                    last = RecordRows.keyOf(row);
                    byte[] nextWanted = byClientTx ? null : nextWanted(last, row);
                    if (nextWanted != null) {
                        looks++;
                        rows.seek(nextWanted);
                        continue;
                    }
                    if (family == db.incomplete && !mayBeWanted(RecordRows.incompleteStatus(rows.value()))) {
                        passed++;
                    } else {
                        looks++;
                        byte[] value = family == db.records ? rows.value() : db.get(db.records, options, row);
                        if (value != null) {
                            add(RecordRows.record(last, value));
                        }
                    }
                    rows.next();
                }
                rows.status();
                return page(Optional.empty());
            } catch (RocksDBException e) {
                throw Database.failed("scan", e);
            } finally {
                db.release(snapshot);
            }
        }

        /**
         * Returns the row to seek to if this row has another endpoint or prefix than the query; null if it matches. So the list visits each
         * user, and each endpoint of a user if the query names none, but not each key.
         */
        private byte @Nullable [] nextWanted(IdempotencyKey key, byte[] row) {
            String endpoint = Objects.requireNonNullElse(query.endpoint(), key.endpoint());
            byte[] wanted = RecordRows.prefix(key.user(), endpoint, Objects.requireNonNullElse(query.prefix(), ""));
            if (Rows.startsWith(row, wanted)) {
                return null;
            }
            if (Arrays.compareUnsigned(row, wanted) < 0) {
                return wanted;
            }
            return Rows.above(
                    query.endpoint() == null
                            ? RecordRows.prefix(key.user(), key.endpoint(), "")
                            : RecordRows.prefix(key.user()));
        }

        /** Whether a key can have the status of the query. One that is processing is reported as unknown after its owner has crashed. */
        private boolean mayBeWanted(Status status) {
            return (status == Status.FAILED) == (query.state() == KeyStatus.FAILED);
        }

        private void add(IdempotencyRecord record) {
            if (query.matches(record, now)) {
                found.add(record.withoutResponseBody());
            }
        }

        private KeyPage page(Optional<String> next) {
            return new KeyPage(found, now, next);
        }

        /** Returns the common prefix of all rows that can match the query. */
        private byte[] prefix() {
            String user = query.user();
            if (user == null) {
                return new byte[0];
            }
            if (query.clientTxId() != null) {
                return RecordRows.clientTxPrefix(user, query.clientTxId());
            }
            String endpoint = query.endpoint();
            if (endpoint == null) {
                return RecordRows.prefix(user);
            }
            return RecordRows.prefix(user, endpoint, Objects.requireNonNullElse(query.prefix(), ""));
        }

        private byte[] rowOf(IdempotencyKey key) {
            return byClientTx
                    ? RecordRows.clientTxKey(key, Objects.requireNonNull(query.clientTxId()))
                    : RecordRows.key(key);
        }
    }

    @Override
    public SweepStep sweep(String from) {
        if (from.isEmpty()) {
            newKeys.forgetIdle(clock.instant());
        }
        SweepStep step = sweep.step(from);
        step.deleted().values().forEach(metrics.swept::add);
        return step;
    }

    @Override
    public void log(List<Cleanup> cleanups) {
        Batch batch = new Batch();
        cleanups.forEach(
                cleanup -> batch.put(db.meta.id(), MetaRows.cleanupKey(cleanup), MetaRows.cleanupValue(cleanup)));
        rows(db.meta, MetaRows.cleanupPrefix(), Integer.MAX_VALUE).stream()
                .skip(MOST_CLEANUPS)
                .forEach(row -> batch.delete(db.meta.id(), row.key));
        writer.write(batch);
    }

    @Override
    public List<Cleanup> cleanups(@Nullable Cleanup after, int limit) {
        byte[] from = after == null ? MetaRows.cleanupPrefix() : Rows.next(MetaRows.cleanupKey(after));
        return rows(db.meta, MetaRows.cleanupPrefix(), from, limit).stream()
                .map(row -> MetaRows.cleanup(row.value))
                .toList();
    }

    @Override
    public Optional<String> nextOwner(String collection, String after) {
        byte[] prefix = DocumentRows.prefix(collection);
        byte[] row = firstFrom(db.documents, Rows.above(DocumentRows.ownedBy(prefix, after)));
        return row != null && Rows.startsWith(row, prefix) ? Optional.of(Rows.split(row)[1]) : Optional.empty();
    }

    @Override
    public Map<String, Long> erase(String user, boolean withDocuments) {
        Map<String, Long> erased = new HashMap<>();
        byte[] keys = RecordRows.prefix(user);
        erased.put(KEYS, eraseKeys(keys));
        for (Family family : List.of(db.records, db.incomplete, db.clientTxIds)) {
            db.wipe(family, List.of(new RowRange(keys, Rows.above(keys))));
        }
        byte[] starts = MetaRows.startPrefix(user);
        deleteAll(db.meta, starts, DELETED);
        db.wipe(db.meta, List.of(new RowRange(starts, Rows.above(starts))));
        newKeys.forget(user);
        if (withDocuments) {
            erased.put(DOCUMENTS, eraseDocuments(user));
        }
        return erased;
    }

    private long eraseKeys(byte[] keys) {
        return deleteAll(db.records, keys, (family, row, batch) -> {
            db.replace(batch, RecordRows.record(RecordRows.keyOf(row.key), row.value), null);
            return true;
        });
    }

    /** Within each collection and each index, the rows of a user are adjacent. */
    private long eraseDocuments(String user) {
        long erased = wipe(db.documents, row -> DocumentRows.prefix(DocumentRows.collectionOf(row)), user, DELETED);
        wipe(
                db.indexEntries,
                row -> DocumentRows.prefix(DocumentRows.collectionOf(row), DocumentRows.indexOf(row)),
                user,
                new OrphanedEntry());
        return erased;
    }

    /**
     * Deletes a user's rows in a column family, and removes their bytes from all files. This includes rows that the user has deleted before.
     * They may have been in collections that are empty now, so the ranges between collections are wiped, too.
     *
     * @param prefixOf returns the prefix of the collection or index of a row
     */
    private long wipe(Family family, UnaryOperator<byte[]> prefixOf, String user, Deletion deletion) {
        long deleted = 0;
        List<RowRange> ranges = new ArrayList<>();
        byte[] from = new byte[0];
        byte[] next;
        while ((next = firstFrom(family, from)) != null) {
            byte[] prefix = prefixOf.apply(next);
            byte[] owned = DocumentRows.ownedBy(prefix, user);
            deleted += deleteAll(family, owned, deletion);
            ranges.add(new RowRange(from, prefix));
            ranges.add(new RowRange(owned, Rows.above(owned)));
            from = Rows.above(prefix);
        }
        ranges.add(new RowRange(from, Rows.ABOVE_ALL));
        db.wipe(family, ranges);
        return deleted;
    }

    /** The key and the value of a stored row. */
    private static final class Row {
        private final byte[] key;
        private final byte[] value;

        Row(byte[] key, byte[] value) {
            this.key = key;
            this.value = value;
        }
    }

    /** Deletes a row and what belongs to it. */
    private interface Deletion {

        /** Returns the row whose lock protects the deletion. */
        default byte[] lockedBy(Row row) {
            return row.key;
        }

        /** Adds the writes of the deletion to a batch, and returns whether there are any. */
        boolean add(Family family, Row row, Batch batch);
    }

    private static final Deletion DELETED = (family, row, batch) -> {
        batch.delete(family.id(), row.key);
        return true;
    };

    /** Deletes an index entry if its document is deleted. The document may have been created again meanwhile. */
    private final class OrphanedEntry implements Deletion {
        @Override
        public byte[] lockedBy(Row row) {
            return DocumentRows.documentKey(row.key, row.value);
        }

        @Override
        public boolean add(Family family, Row row, Batch batch) {
            return db.get(db.documents, lockedBy(row)) == null && DELETED.add(family, row, batch);
        }
    }

    /** Deletes all rows with a prefix, and returns how many. */
    private long deleteAll(Family family, byte[] prefix, Deletion deletion) {
        long deleted = 0;
        byte[] from = prefix;
        while (true) {
            List<Row> some = rows(family, prefix, from, ROWS_AT_A_TIME);
            if (some.isEmpty()) {
                return deleted;
            }
            RowLocks.Held held =
                    locks.lock(some.stream().map(deletion::lockedBy).toList());
            try {
                Batch batch = new Batch();
                for (Row row : some) {
                    byte[] value = db.get(family, row.key);
                    deleted += value != null && deletion.add(family, new Row(row.key, value), batch) ? 1 : 0;
                }
                writer.write(batch);
            } finally {
                held.release();
            }
            from = Rows.next(some.get(some.size() - 1).key);
        }
    }

    private byte @Nullable [] firstFrom(Family family, byte[] from) {
        return read(family, rows -> {
            rows.seek(from);
            return rows.isValid() ? rows.key() : null;
        });
    }

    private List<Row> rows(Family family, byte[] prefix, int limit) {
        return rows(family, prefix, prefix, limit);
    }

    private List<Row> rows(Family family, byte[] prefix, byte[] from, int limit) {
        List<Row> found = new ArrayList<>();
        read(family, rows -> {
            rows.seek(from);
            for (; rows.isValid() && Rows.startsWith(rows.key(), prefix) && found.size() < limit; rows.next()) {
                found.add(new Row(rows.key(), rows.value()));
            }
            return null;
        });
        return found;
    }

    /** Reads rows from an iterator. */
    private interface Walk<T> {
        @Nullable T walk(RocksIterator rows);
    }

    private <T> @Nullable T read(Family family, Walk<T> walk) {
        Snapshot snapshot = db.snapshot();
        try (ReadOptions options = Database.reading().setSnapshot(snapshot).setFillCache(false);
                RocksIterator rows = db.iterator(family, options)) {
            T result = walk.walk(rows);
            rows.status();
            return result;
        } catch (RocksDBException e) {
            throw Database.failed("scan", e);
        } finally {
            db.release(snapshot);
        }
    }
}
