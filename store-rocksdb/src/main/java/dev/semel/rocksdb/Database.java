package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.CompactRangeOptions.BottommostLevelCompaction;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.FlushOptions;
import org.rocksdb.HistogramType;
import org.rocksdb.IndexType;
import org.rocksdb.LRUCache;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;

/** RocksDB as we use it: seven families of rows, one log, and memory that is bounded. */
final class Database implements AutoCloseable {

    static {
        RocksDB.loadLibrary();
    }

    private static final List<String> FAMILIES =
            List.of("default", "once", "documents", "further", "receipts", "open", "clients");

    /** Of these there may be far more than fits into memory, and they are asked for in ranges; others go, or are asked for by their key. */
    private static final Set<String> QUERIED = Set.of("documents", "further");

    private static final byte[] NOTHING = {};

    private static final long MOST_LOG_BYTES = 64L << 20;

    /** What is not yet in order on disk takes half of the memory: two buffers of each of the families that grow, and a spare. */
    private static final int BUFFERS = 8;

    /** How much of the memory for what was read is for indexes and filters first: without them every read costs several. */
    private static final double KEPT_FIRST = 0.5;

    /** Parts of the cache are no smaller, or else the largest of what is to be kept would drive one another out of them. */
    private static final long LEAST_SHARD_BYTES = 32L << 20;

    private static final int MOST_SHARD_BITS = 6;

    /** How many bytes of a key filters know, beside whole keys: collection, owner and the first ten or so of what a query fixes. */
    private static final int PREFIX = 20;

    /** What has no method: RocksDB notes how long each log is that it has done with, and refuses to open if one is shorter. */
    private static final Properties BY_NAME = byName("track_and_verify_wals_in_manifest", "true");

    /** RocksDB's own messages, of the last times it was opened. */
    private static final int MESSAGE_FILES = 5;

    private static final int MOST_LOOKS = 50;

    /** A log that is shorter than this is read again so quickly that it may be left. */
    private static final long SHORT_LOG_BYTES = 8L << 20;

    final Family meta;
    final Family once;
    final Family documents;
    final Family further;
    final Family receipts;

    /** Keys that are not completed. */
    final Family open;

    /** Keys by what clients call their transactions. */
    final Family clients;

    private final RocksDB db;
    private final List<AutoCloseable> owned;
    private final WriteOptions writeOptions;
    private final Statistics statistics;
    private final Gate gate = new Gate();
    private final CompactRangeOptions wiping = new CompactRangeOptions()
            .setExclusiveManualCompaction(false)
            .setBottommostLevelCompaction(BottommostLevelCompaction.kForce);
    private final CompactRangeOptions compaction = new CompactRangeOptions()
            .setExclusiveManualCompaction(false)
            .setBottommostLevelCompaction(BottommostLevelCompaction.kForceOptimized);

    private Database(
            RocksDB db,
            List<ColumnFamilyHandle> families,
            List<AutoCloseable> owned,
            WriteOptions writeOptions,
            Statistics statistics) {
        this.db = db;
        this.owned = owned;
        this.writeOptions = writeOptions;
        this.statistics = statistics;
        this.meta = new Family(families.get(0));
        this.once = new Family(families.get(1));
        this.documents = new Family(families.get(2));
        this.further = new Family(families.get(3));
        this.receipts = new Family(families.get(4));
        this.open = new Family(families.get(5));
        this.clients = new Family(families.get(6));
    }

    /** @param make whether there is none yet: one that has lost its files must not be taken for new, and be made anew */
    static Database open(Path path, RocksDbSettings settings, boolean make) {
        try {
            if (make) {
                Files.createDirectories(path);
            }
            LogTail.refuseIfDamaged(path, settings.synced());
        } catch (IOException e) {
            throw StoreException.refused("Cannot open the store in " + path + ": " + e);
        }
        return open(path, settings, make, RocksDB::open);
    }

    /**
     * As it stands now, though another process may have it open; nothing is written. RocksDB looks first at which tables there are and
     * then at the logs; a log whose rows another process puts into a table in between would be in neither. That process
     * notes it in between, so one looks whether it has, and if so looks again.
     */
    static Database openReadOnly(Path path, RocksDbSettings settings) {
        for (int looks = 1; ; looks++) {
            try {
                String before = noted(path);
                Database database = openOnce(path, settings, before);
                if (database != null) {
                    return database;
                }
            } catch (IOException e) {
                throw StoreException.refused("Cannot open the store in " + path + ": " + e);
            }
            if (looks == MOST_LOOKS) {
                throw StoreException.unavailable(
                        "The store in " + path + " changes too quickly to be read: try again when less is written",
                        null);
            }
        }
    }

    /** Null if something was noted while it was opened. */
    private static @Nullable Database openOnce(Path path, RocksDbSettings settings, String before) throws IOException {
        Database database;
        try {
            LogTail.refuseIfDamaged(path, settings.synced());
            database = open(path, settings, false, RocksDB::openReadOnly);
        } catch (StoreException | NoSuchFileException e) {
            if (noted(path).equals(before)) {
                throw e;
            }
            return null;
        }
        if (noted(path).equals(before)) {
            return database;
        }
        database.close();
        return null;
    }

    /** What changes whenever it is noted that tables came or went. */
    private static String noted(Path path) throws IOException {
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
        List<AutoCloseable> owned = new ArrayList<>();
        try {
            Cache cache = own(
                    owned, new LRUCache(settings.memoryBytes(), shardBits(settings.memoryBytes()), false, KEPT_FIRST));
            WriteBufferManager buffers = own(owned, new WriteBufferManager(settings.memoryBytes() / 2, cache, true));
            Statistics statistics = own(owned, new Statistics());
            DBOptions options = own(owned, DBOptions.getDBOptionsFromProps(BY_NAME))
                    .setCreateIfMissing(make)
                    .setCreateMissingColumnFamilies(make)
                    .setWriteBufferManager(buffers)
                    .setStatistics(statistics)
                    .setAllowConcurrentMemtableWrite(false)
                    // what a log holds is written once more when the store is opened after a crash, which has to be
                    // quick
                    .setMaxTotalWalSize(Math.min(MOST_LOG_BYTES, settings.memoryBytes()))
                    .setKeepLogFileNum(MESSAGE_FILES)
                    // a tail that was cut off was never acknowledged; whatever else is damaged is an error
                    .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords);
            List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
            for (String name : FAMILIES) {
                BlockBasedTableConfig tables = tables(cache, own(owned, new BloomFilter(10)));
                if (QUERIED.contains(name)) {
                    inParts(tables);
                }
                ColumnFamilyOptions family = own(owned, family(settings)).setTableFormatConfig(tables);
                descriptors.add(new ColumnFamilyDescriptor(name.getBytes(US_ASCII), family));
            }
            List<ColumnFamilyHandle> handles = new ArrayList<>();
            RocksDB db = opening.open(options, path.toString(), descriptors, handles);
            WriteOptions write = own(owned, new WriteOptions()).setSync(settings.synced());
            return new Database(db, handles, owned, write, statistics);
        } catch (RocksDBException e) {
            closeAll(owned);
            throw StoreException.refused("Cannot open the store in " + path + ": " + e.getMessage());
        }
    }

    private static int shardBits(long memoryBytes) {
        int bits = Long.SIZE - 1 - Long.numberOfLeadingZeros(Math.max(1, memoryBytes / LEAST_SHARD_BYTES));
        return Math.min(MOST_SHARD_BITS, bits);
    }

    private static ColumnFamilyOptions family(RocksDbSettings settings) {
        return new ColumnFamilyOptions()
                // every new key is looked up before it is written: that it is not there has to be told quickly
                // a query of what begins with a prefix need not look into tables that have nothing of it
                .useCappedPrefixExtractor(PREFIX)
                .setMemtablePrefixBloomSizeRatio(0.02)
                .setMemtableWholeKeyFiltering(true)
                .setWriteBufferSize(settings.memoryBytes() / BUFFERS)
                .setCompressionType(CompressionType.LZ4_COMPRESSION);
    }

    private static BlockBasedTableConfig tables(Cache cache, BloomFilter filter) {
        return new BlockBasedTableConfig()
                .setBlockCache(cache)
                .setFilterPolicy(filter)
                .setDataBlockIndexType(DataBlockIndexType.kDataBlockBinaryAndHash)
                .setCacheIndexAndFilterBlocks(true)
                .setCacheIndexAndFilterBlocksWithHighPriority(true)
                .setPinL0FilterAndIndexBlocksInCache(true);
    }

    /** A table's index and filter are a thousand times as large as what a query wants: whoever has to read them reads a part. */
    private static void inParts(BlockBasedTableConfig tables) {
        tables.setIndexType(IndexType.kTwoLevelIndexSearch)
                .setPartitionFilters(true)
                .setPinTopLevelIndexAndFilter(true);
    }

    private static Properties byName(String name, String value) {
        Properties properties = new Properties();
        properties.setProperty(name, value);
        return properties;
    }

    private static <T extends AutoCloseable> T own(List<AutoCloseable> owned, T resource) {
        owned.add(resource);
        return resource;
    }

    private static void closeAll(List<AutoCloseable> owned) {
        for (int i = owned.size() - 1; i >= 0; i--) {
            try {
                owned.get(i).close();
            } catch (Exception e) {
                throw new IllegalStateException("Native memory could not be let go", e);
            }
        }
    }

    static StoreException failed(String what, RocksDBException e) {
        return StoreException.unavailable("The disk failed to " + what + ": " + e.getMessage(), e);
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
            db.write(writeOptions, writes);
        } catch (RocksDBException e) {
            throw failed("write", e);
        } finally {
            leave();
        }
    }

    /** Writes a once-record in place of another, with the rows by which it is found. */
    void replace(Batch batch, @Nullable OnceRecord before, @Nullable OnceRecord after) {
        byte[] row =
                Rows.key(Objects.requireNonNull(after == null ? before : after).key());
        boolean sameClient =
                before != null && after != null && before.clientTxId().equals(after.clientTxId());
        if (before != null && !sameClient) {
            batch.delete(clients.id(), Rows.clientKey(before.key(), before.clientTxId()));
        }
        if (after != null && !sameClient) {
            batch.put(clients.id(), Rows.clientKey(after.key(), after.clientTxId()), NOTHING);
        }
        boolean wasOpen = before != null && before.status() != OnceStatus.COMPLETED;
        boolean isOpen = after != null && after.status() != OnceStatus.COMPLETED;
        if (isOpen && !wasOpen) {
            batch.put(open.id(), row, NOTHING);
        } else if (wasOpen && !isOpen) {
            batch.delete(open.id(), row);
        }
        if (after == null) {
            batch.delete(once.id(), row);
        } else {
            batch.put(once.id(), row, Rows.value(after));
        }
    }

    /** What RocksDB has counted since it was opened. */
    long count(TickerType ticker) {
        enter();
        try {
            return statistics.getTickerCount(ticker);
        } finally {
            leave();
        }
    }

    /** What RocksDB has added up since it was opened. */
    long sum(HistogramType histogram) {
        enter();
        try {
            return statistics.getHistogramData(histogram).getSum();
        } finally {
            leave();
        }
    }

    /** What RocksDB says of a family. */
    long number(Family family, String property) {
        return ask(() -> db.getLongProperty(family.handle(), property));
    }

    /** What RocksDB says of all families together. */
    long numberOfAll(String property) {
        return ask(() -> db.getAggregatedLongProperty(property));
    }

    /** Something that RocksDB does. */
    private interface Question {
        long answer() throws RocksDBException;
    }

    private long ask(Question question) {
        enter();
        try {
            return question.answer();
        } catch (RocksDBException e) {
            throw failed("tell", e);
        } finally {
            leave();
        }
    }

    /** Takes back the space of rows that were deleted; gives up when the database is closed. */
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

    /**
     * Makes sure that no byte is left of rows that were deleted, neither in tables nor in logs.
     *
     * @param from the first of the rows around which there may be any
     * @param to the first behind them
     */
    void wipe(Family family, byte[] from, byte[] to) {
        enter();
        try (FlushOptions options = new FlushOptions()) {
            db.flush(options, families().stream().map(Family::handle).toList());
            db.compactRange(family.handle(), from, to, wiping);
        } catch (RocksDBException e) {
            throw failed("compact", e);
        } finally {
            leave();
        }
    }

    /** The families, in the same order for every database. */
    List<Family> families() {
        return List.of(meta, once, documents, further, receipts, open, clients);
    }

    /** All rows of a family, in order. */
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

    /** For all reading of several rows: filters are asked only where that cannot hide a row. */
    static ReadOptions reading() {
        return new ReadOptions().setAutoPrefixMode(true);
    }

    RocksIterator iterator(Family family, ReadOptions options) {
        return db.newIterator(family.handle(), options);
    }

    /** Enters until it is released. */
    Snapshot snapshot() {
        enter();
        return db.getSnapshot();
    }

    void release(Snapshot snapshot) {
        db.releaseSnapshot(snapshot);
        leave();
    }

    /** A closed database must not be touched: its memory is not Java's. */
    private void enter() {
        if (!gate.enter()) {
            throw StoreException.refused("The store is closed");
        }
    }

    private void leave() {
        gate.leave();
    }

    @Override
    public void close() {
        if (gate.enter()) {
            wiping.setCanceled(true);
            compaction.setCanceled(true); // or else those who are inside might be so for long
            gate.leave();
        }
        if (gate.close()) {
            compaction.close();
            wiping.close();
            flushIfLong();
            families().forEach(family -> family.handle().close());
            db.close();
            closeAll(owned);
        }
    }

    /** Whoever opens it next need not read a long log. */
    private void flushIfLong() {
        try (FlushOptions options = new FlushOptions()) {
            if (db.getAggregatedLongProperty("rocksdb.cur-size-all-mem-tables") > SHORT_LOG_BYTES) {
                db.flush(options, families().stream().map(Family::handle).toList());
            }
        } catch (RocksDBException e) {
            // everything is in the log
        }
    }
}
