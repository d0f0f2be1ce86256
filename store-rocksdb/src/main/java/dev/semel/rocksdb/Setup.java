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

/** The options of RocksDB. They are native objects, and are closed after the database. */
final class Setup implements AutoCloseable {

    private static final List<String> FAMILIES = List.of(
            "default",
            "idempotency_records",
            "documents",
            "index_entries",
            "commit_log",
            "incomplete_keys",
            "client_tx_ids");

    /** Families that can be much larger than memory and are read in ranges. The others are swept, or are read by key. */
    private static final Set<String> QUERIED = Set.of("documents", "index_entries");

    private static final long MOST_LOG_BYTES = 64L << 20;

    /** Write buffers take half of the memory: two for each of the families that grow, and a reserve. */
    private static final int BUFFERS = 8;

    /** Share of the block cache that is reserved for indexes and filters. Without them in memory, each lookup reads several blocks. */
    private static final double KEPT_FIRST = 0.5;

    /** The smallest shard of the block cache. In smaller ones, large index and filter blocks would evict each other. */
    private static final long LEAST_SHARD_BYTES = 32L << 20;

    private static final int MOST_SHARD_BITS = 6;

    /** Length of the key prefix in bloom filters, in bytes: the collection, the owner and about ten bytes of the prefix of a query. */
    private static final int PREFIX = 20;

    /** Options without a Java method. RocksDB records the length of each closed log, and fails to open if one is shorter. */
    private static final Properties BY_NAME = byName("track_and_verify_wals_in_manifest", "true");

    /** The number of RocksDB's own log files to keep, one for each open. */
    private static final int MESSAGE_FILES = 5;

    final DBOptions options;
    final List<ColumnFamilyDescriptor> families = new ArrayList<>();
    final WriteOptions writing;
    final Statistics statistics;
    private final List<AutoCloseable> owned = new ArrayList<>();

    /** @param make whether to create the database */
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
                // after a crash the logs are replayed, which has to be fast
                .setMaxTotalWalSize(Math.min(MOST_LOG_BYTES, settings.memoryBytes()))
                .setKeepLogFileNum(MESSAGE_FILES)
                // a truncated tail was never acknowledged; any other damage is an error
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
                // filters by prefix: a scan skips tables that have no key with its prefix
                .useCappedPrefixExtractor(PREFIX)
                // filters by key: every new key is looked up first, so a miss has to be fast
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

    /** Splits index and filter into partitions. The whole ones are a thousand times as large as what a query reads. */
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

    /** Closes the options in reverse order of their creation. */
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
