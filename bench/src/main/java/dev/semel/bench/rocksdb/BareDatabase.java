package dev.semel.bench.rocksdb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The baseline of the benchmark: RocksDB without Semel. It has the column families, cache and filters of the embedded store, and writes the
 * same number of bytes under keys in the same order.
 */
public final class BareDatabase implements AutoCloseable {

    private static final long CACHE_BYTES = 256L << 20;
    private static final List<String> FAMILIES = List.of(
            "default",
            "idempotency_records",
            "documents",
            "index_entries",
            "commit_log",
            "incomplete_keys",
            "client_tx_ids");
    private static final int RECORDS = FAMILIES.indexOf("idempotency_records");
    private static final int INDEX_ENTRIES = FAMILIES.indexOf("index_entries");

    private final List<AutoCloseable> owned = new ArrayList<>();
    private final List<ColumnFamilyHandle> families = new ArrayList<>();
    private final RocksDB db;
    private final WriteOptions synced = own(new WriteOptions().setSync(true));
    private final AtomicLong numbers = new AtomicLong(System.nanoTime());

    private BareDatabase(Path folder, boolean concurrent) throws RocksDBException {
        BlockBasedTableConfig tables = new BlockBasedTableConfig()
                .setBlockCache(own(new LRUCache(CACHE_BYTES)))
                .setFilterPolicy(own(new BloomFilter(10)))
                .setCacheIndexAndFilterBlocks(true);
        ColumnFamilyOptions family = own(new ColumnFamilyOptions()).setTableFormatConfig(tables);
        DBOptions options = own(new DBOptions())
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setAllowConcurrentMemtableWrite(concurrent);
        List<ColumnFamilyDescriptor> descriptors = FAMILIES.stream()
                .map(name -> new ColumnFamilyDescriptor(name.getBytes(US_ASCII), family))
                .toList();
        db = RocksDB.open(options, folder.toString(), descriptors, families);
    }

    /**
     * Opens a database, and creates it if it does not exist.
     *
     * @param concurrent whether several threads may write to memory at the same time, as is RocksDB's default
     */
    public static BareDatabase open(Path folder, boolean concurrent) {
        try {
            return new BareDatabase(folder, concurrent);
        } catch (RocksDBException e) {
            throw new IllegalStateException("Cannot open " + folder, e);
        }
    }

    private <T extends AutoCloseable> T own(T resource) {
        owned.add(0, resource);
        return resource;
    }

    /** A row as the store wrote it. */
    public static final class Row {

        private final int family;
        private final byte[] key;
        private final byte[] value;

        private Row(int family, byte[] key, byte[] value) {
            this.family = family;
            this.key = key;
            this.value = value;
        }

        /** Returns the number of bytes of key and value. */
        public int length() {
            return key.length + value.length;
        }
    }

    /** Returns all rows of a store, except its metadata in the first family. */
    public List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (int family = 1; family < families.size(); family++) {
            try (RocksIterator each = db.newIterator(families.get(family))) {
                for (each.seekToFirst(); each.isValid(); each.next()) {
                    rows.add(new Row(family, each.key(), each.value()));
                }
            }
        }
        return rows;
    }

    /** Writes rows of the same lengths in one synced batch. */
    public void write(List<Row> rows) throws RocksDBException {
        long number = numbers.incrementAndGet();
        try (WriteBatch batch = new WriteBatch()) {
            for (Row row : rows) {
                byte[] value = row.value.clone();
                number(value, 0, number);
                batch.put(families.get(row.family), freshKey(row, number), value);
            }
            db.write(synced, batch);
        }
    }

    /** As in the store, keys of index entries increase, and others have no order. */
    private static byte[] freshKey(Row row, long number) {
        byte[] key = row.key.clone();
        int lastPart = key.length;
        while (lastPart > 0 && key[lastPart - 1] != 0) {
            lastPart--;
        }
        number(key, lastPart, row.family == INDEX_ENTRIES ? number : number * 0x9E3779B97F4A7C15L);
        return key;
    }

    /** Encodes a number in hexadecimal, most significant digit first. */
    private static void number(byte[] bytes, int from, long number) {
        for (int i = 0; i < 16 && from + i < bytes.length; i++) {
            bytes[from + i] = (byte) "0123456789abcdef".charAt((int) (number >>> (60 - 4 * i)) & 15);
        }
    }

    /** Reads the row of an idempotency record. */
    void read(byte[] key) throws RocksDBException {
        if (db.get(families.get(RECORDS), key) == null) {
            throw new IllegalStateException("The row is missing");
        }
    }

    @Override
    public void close() {
        families.forEach(ColumnFamilyHandle::close);
        db.close();
        owned.forEach(BareDatabase::closeQuietly);
    }

    private static void closeQuietly(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            throw new IllegalStateException("Native memory could not be released", e);
        }
    }
}
