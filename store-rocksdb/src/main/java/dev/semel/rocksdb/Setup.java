package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.IndexType;
import org.rocksdb.LRUCache;
import org.rocksdb.Statistics;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;

/** How RocksDB is set up. Its memory is not Java's: it is closed after the database. */
final class Setup implements AutoCloseable {

    private static final List<String> FAMILIES = List.of(
            "default",
            "idempotency_records",
            "documents",
            "index_entries",
            "commit_log",
            "incomplete_keys",
            "client_tx_ids");

    /** Of these there may be far more than fits into memory, and they are asked for in ranges; others go, or are asked for by their key. */
    private static final Set<String> QUERIED = Set.of("documents", "index_entries");

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

    final DBOptions options;
    final List<ColumnFamilyDescriptor> families = new ArrayList<>();
    final WriteOptions writing;
    final Statistics statistics;
    private final List<AutoCloseable> owned = new ArrayList<>();

    /** @param make whether there is no database yet */
    Setup(RocksDbSettings settings, boolean make) {
        Cache cache = own(new LRUCache(settings.memoryBytes(), shardBits(settings.memoryBytes()), false, KEPT_FIRST));
        this.statistics = own(new Statistics());
        this.writing = own(new WriteOptions()).setSync(settings.synced());
        this.options = own(DBOptions.getDBOptionsFromProps(BY_NAME))
                .setCreateIfMissing(make)
                .setCreateMissingColumnFamilies(make)
                .setWriteBufferManager(own(new WriteBufferManager(settings.memoryBytes() / 2, cache, true)))
                .setStatistics(statistics)
                .setAllowConcurrentMemtableWrite(false)
                // what a log holds is written once more when the store is opened after a crash, which has to be quick
                .setMaxTotalWalSize(Math.min(MOST_LOG_BYTES, settings.memoryBytes()))
                .setKeepLogFileNum(MESSAGE_FILES)
                // a tail that was cut off was never acknowledged; whatever else is damaged is an error
                .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords);
        for (String name : FAMILIES) {
            BlockBasedTableConfig tables = tables(cache, own(new BloomFilter(10)));
            if (QUERIED.contains(name)) {
                inParts(tables);
            }
            ColumnFamilyOptions family = own(family(settings)).setTableFormatConfig(tables);
            families.add(new ColumnFamilyDescriptor(name.getBytes(US_ASCII), family));
        }
    }

    private static int shardBits(long memoryBytes) {
        int bits = Long.SIZE - 1 - Long.numberOfLeadingZeros(Math.max(1, memoryBytes / LEAST_SHARD_BYTES));
        return Math.min(MOST_SHARD_BITS, bits);
    }

    private static ColumnFamilyOptions family(RocksDbSettings settings) {
        return new ColumnFamilyOptions()
                // every new key is looked up before it is written: a miss has to be quick
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

    private <T extends AutoCloseable> T own(T resource) {
        owned.add(resource);
        return resource;
    }

    /** The last that was made goes first. */
    @Override
    public void close() {
        for (int i = owned.size() - 1; i >= 0; i--) {
            try {
                owned.get(i).close();
            } catch (Exception e) {
                throw new IllegalStateException("Native memory could not be released", e);
            }
        }
    }
}
