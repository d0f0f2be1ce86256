package dev.semel.rocksdb;

import dev.semel.store.StoreException;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.CompactRangeOptions.BottommostLevelCompaction;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.HistogramType;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;
import org.rocksdb.TickerType;
import org.rocksdb.WriteBatch;

/** The RocksDB database of a store: seven column families, one write-ahead log, and a bounded amount of memory. */
final class Database implements AutoCloseable {

    static {
        RocksDB.loadLibrary();
    }

    private static final byte[] NOTHING = {};

    private static final int MOST_ATTEMPTS = 50;

    private static final int MANY_RANGES = 32;

    /** A log that is shorter than this is replayed quickly when the store is opened, so it is not flushed on close. */
    private static final long SHORT_LOG_BYTES = 8L << 20;

    final Family meta;
    final Family records;
    final Family documents;
    final Family indexEntries;
    final Family commitLog;

    /** The status of each key that is not completed. */
    final Family incomplete;

    /** Keys by client transaction id. */
    final Family clientTxIds;

    private final RocksDB db;
    private final Setup setup;
    private final Gate gate = new Gate();
    private volatile @Nullable String failure;
    private final CompactRangeOptions wiping = new CompactRangeOptions()
            .setExclusiveManualCompaction(false)
            .setBottommostLevelCompaction(BottommostLevelCompaction.kForce);
    private final CompactRangeOptions compaction = new CompactRangeOptions()
            .setExclusiveManualCompaction(false)
            .setBottommostLevelCompaction(BottommostLevelCompaction.kForceOptimized);

    private Database(RocksDB db, List<ColumnFamilyHandle> families, Setup setup) {
        this.db = db;
        this.setup = setup;
        this.meta = new Family(families.get(0));
        this.records = new Family(families.get(1));
        this.documents = new Family(families.get(2));
        this.indexEntries = new Family(families.get(3));
        this.commitLog = new Family(families.get(4));
        this.incomplete = new Family(families.get(5));
        this.clientTxIds = new Family(families.get(6));
    }

    /** @param make whether to create the database. If false, a database that has lost its files is an error, and is not created again */
    static Database open(Path path, RocksDbSettings settings, boolean make) {
        try {
            if (make) {
                Files.createDirectories(path);
            }
            LogTail.rejectIfDamaged(path, settings.synced());
        } catch (IOException e) {
            throw StoreException.rejected("Cannot open the store in " + path + ": " + FileError.words(e));
        }
        return open(path, settings, make, RocksDB::open);
    }

    /**
     * Opens the current state of a database for reading, even if another process has it open. RocksDB first reads the list of tables (the
     * manifest), and then the logs. If the other process flushes a log to a table in between, its rows would be missing from both. The flush
     * changes the manifest, so this compares the manifest before and after, and starts again if it has changed.
     */
    static Database openReadOnly(Path path, RocksDbSettings settings) {
        for (int attempts = 1; ; attempts++) {
            try {
                String before = manifestState(path);
                Database database = openOnce(path, settings, before);
                if (database != null) {
                    return database;
                }
            } catch (IOException e) {
                throw StoreException.rejected("Cannot open the store in " + path + ": " + FileError.words(e));
            }
            if (attempts == MOST_ATTEMPTS) {
                throw StoreException.unavailable(
                        "Cannot read the store in " + path
                                + " while it changes this fast: try again when it is less busy",
                        null);
            }
        }
    }

    /** Returns null if the manifest changed while the database was opened. */
    private static @Nullable Database openOnce(Path path, RocksDbSettings settings, String before) throws IOException {
        Database database;
        try {
            LogTail.rejectIfDamaged(path, settings.synced());
            database = open(path, settings, false, RocksDB::openReadOnly);
        } catch (StoreException | NoSuchFileException e) {
            if (manifestState(path).equals(before)) {
                throw e;
            }
            return null;
        }
        if (manifestState(path).equals(before)) {
            return database;
        }
        database.close();
        return null;
    }

    /** Returns the name and size of the manifest, which change whenever tables are added or removed. */
    private static String manifestState(Path path) throws IOException {
        String manifest = Files.readString(path.resolve("CURRENT")).strip();
        return manifest + " " + Files.size(path.resolve(manifest));
    }

    private interface Opening {
        RocksDB open(
                DBOptions options,
                String path,
                List<ColumnFamilyDescriptor> descriptors,
                List<ColumnFamilyHandle> handles)
                throws RocksDBException;
    }

    private static Database open(Path path, RocksDbSettings settings, boolean make, Opening opening) {
        Setup setup = new Setup(settings, make);
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try {
            return new Database(opening.open(setup.options, path.toString(), setup.families, handles), handles, setup);
        } catch (RocksDBException e) {
            setup.close();
            throw StoreException.rejected("Cannot open the store in " + path + ": " + e.getMessage());
        }
    }

    static StoreException failed(String operation, RocksDBException e) {
        return StoreException.unavailable("The disk failed to " + operation + ": " + e.getMessage(), e);
    }

    byte @Nullable [] get(Family family, byte[] key) {
        enter();
        try {
            return db.get(family.handle(), key);
        } catch (RocksDBException e) {
            throw failed("read", e);
        } finally {
            leave();
        }
    }

    byte @Nullable [] get(Family family, ReadOptions options, byte[] key) throws RocksDBException {
        return db.get(family.handle(), options, key);
    }

    void write(byte[] batch) {
        enter();
        try (WriteBatch writes = new WriteBatch(batch)) {
            db.write(setup.writing, writes);
        } catch (RocksDBException e) {
            throw failed("write", e);
        } finally {
            leave();
        }
    }

    /** Replaces an idempotency record, with the rows by which operators find it. Null stands for no record. */
    void replace(Batch batch, @Nullable IdempotencyRecord before, @Nullable IdempotencyRecord after) {
        byte[] row = RecordRows.key(
                Objects.requireNonNull(after == null ? before : after).key());
        boolean sameClientTx =
                before != null && after != null && before.clientTxId().equals(after.clientTxId());
        if (before != null && !sameClientTx) {
            batch.delete(clientTxIds.id(), RecordRows.clientTxKey(before.key(), before.clientTxId()));
        }
        if (after != null && !sameClientTx) {
            batch.put(clientTxIds.id(), RecordRows.clientTxKey(after.key(), after.clientTxId()), NOTHING);
        }
        Status was = before == null ? Status.COMPLETED : before.status();
        Status is = after == null ? Status.COMPLETED : after.status();
        if (is == Status.COMPLETED && was != is) {
            batch.delete(incomplete.id(), row);
        } else if (was != is) {
            batch.put(incomplete.id(), row, RecordRows.incompleteValue(is));
        }
        if (after == null) {
            batch.delete(records.id(), row);
        } else {
            batch.put(records.id(), row, RecordRows.value(after));
        }
    }

    /** Returns a counter of RocksDB, which starts at 0 when the database is opened. */
    long count(TickerType ticker) {
        enter();
        try {
            return setup.statistics.getTickerCount(ticker);
        } finally {
            leave();
        }
    }

    /** Returns the sum of a histogram of RocksDB, which starts at 0 when the database is opened. */
    long sum(HistogramType histogram) {
        enter();
        try {
            return setup.statistics.getHistogramData(histogram).getSum();
        } finally {
            leave();
        }
    }

    /** Returns a property of a column family. */
    long number(Family family, String property) {
        return property(() -> db.getLongProperty(family.handle(), property));
    }

    /** Returns the sum of a property over all column families. */
    long numberOfAll(String property) {
        return property(() -> db.getAggregatedLongProperty(property));
    }

    /** Reads a property of RocksDB. */
    private interface Property {
        long read() throws RocksDBException;
    }

    private long property(Property property) {
        enter();
        try {
            return property.read();
        } catch (RocksDBException e) {
            throw failed("read", e);
        } finally {
            leave();
        }
    }

    /** Reclaims the space of deleted rows. Ends early if the database is closed meanwhile. */
    void compact(Family family) {
        enter();
        try {
            db.compactRange(family.handle(), null, null, compaction);
        } catch (RocksDBException e) {
            throw failed("compact", e);
        } finally {
            leave();
        }
    }

    /** A range of row keys, from one key to before another. */
    static final class RowRange {
        private final byte[] from;
        private final byte[] to; // exclusive

        RowRange(byte[] from, byte[] to) {
            this.from = from;
            this.to = to;
        }
    }

    /**
     * Removes the bytes of deleted rows from all files, tables and logs alike. This rewrites the tables that overlap the ranges. If there
     * are many ranges, it rewrites all tables once instead.
     *
     * @param ranges where rows may have been deleted
     */
    void wipe(Family family, List<RowRange> ranges) {
        enter();
        try (FlushOptions options = new FlushOptions()) {
            db.flush(options, families().stream().map(Family::handle).toList());
            if (ranges.size() > MANY_RANGES) {
                db.compactRange(family.handle(), null, null, wiping);
            } else {
                for (RowRange range : ranges) {
                    db.compactRange(family.handle(), range.from, range.to, wiping);
                }
            }
        } catch (RocksDBException e) {
            throw failed("compact", e);
        } finally {
            leave();
        }
    }

    /** Returns the column families, in the same order for every database. */
    List<Family> families() {
        return List.of(meta, records, documents, indexEntries, commitLog, incomplete, clientTxIds);
    }

    /** Reads all rows of a column family, in order. */
    void forEach(Family family, ReadOptions options, BiConsumer<byte[], byte[]> rows) {
        try (RocksIterator iterator = iterator(family, options)) {
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                rows.accept(iterator.key(), iterator.value());
            }
            iterator.status();
        } catch (RocksDBException e) {
            throw failed("read", e);
        }
    }

    /** Returns options for reading several rows. Prefix filters are used only where they cannot hide a row. */
    static ReadOptions reading() {
        return new ReadOptions().setAutoPrefixMode(true);
    }

    RocksIterator iterator(Family family, ReadOptions options) {
        return db.newIterator(family.handle(), options);
    }

    /** Takes a snapshot. The database is not closed until it is {@linkplain #release released}. */
    Snapshot snapshot() {
        enter();
        return db.getSnapshot();
    }

    void release(Snapshot snapshot) {
        db.releaseSnapshot(snapshot);
        leave();
    }

    /** Rejects all further calls, since the files of the database are lost. */
    void fail(StoreException e) {
        failure = e.getMessage();
    }

    /** Rejects calls after close: the native memory of a closed database is freed, and access would crash the JVM. */
    private void enter() {
        if (!gate.enter()) {
            throw StoreException.rejected("The store is closed");
        }
        if (failure != null) {
            gate.leave();
            throw StoreException.rejected(failure);
        }
    }

    private void leave() {
        gate.leave();
    }

    @Override
    public void close() {
        if (gate.enter()) {
            wiping.setCanceled(true);
            compaction.setCanceled(true); // close waits for compactions, which may take long
            gate.leave();
        }
        if (gate.close()) {
            compaction.close();
            wiping.close();
            flushIfLong();
            families().forEach(family -> family.handle().close());
            db.close();
            setup.close();
        }
    }

    /** Flushes a long log to tables, so that the next open need not replay it. */
    private void flushIfLong() {
        try (FlushOptions options = new FlushOptions()) {
            if (db.getAggregatedLongProperty("rocksdb.cur-size-all-mem-tables") > SHORT_LOG_BYTES) {
                db.flush(options, families().stream().map(Family::handle).toList());
            }
        } catch (RocksDBException e) {
            // nothing is lost: the log has everything
        }
    }
}
