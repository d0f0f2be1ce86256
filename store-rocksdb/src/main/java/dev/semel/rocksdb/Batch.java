package dev.semel.rocksdb;

import dev.semel.store.spi.Commit.DocumentWrite;
import java.util.ArrayList;
import java.util.List;

/**
 * The writes of one commit, in the encoding of RocksDB's write batches. A group of them is passed to RocksDB in one native call.
 *
 * <p>RocksDB's encoding is a sequence number (8 bytes, set by RocksDB), a count (4 bytes, little endian), and the writes. Each has a tag,
 * the column family, the key and, for a put, the value.
 */
final class Batch {

    private static final int DELETE = 4;
    private static final int PUT = 5;

    private final ByteWriter writes;
    private final List<DocumentWrite.Put> unsequenced = new ArrayList<>(0);
    private int count;

    Batch() {
        this(512);
    }

    private Batch(int expected) {
        writes = new ByteWriter(expected);
    }

    Batch put(int family, byte[] key, byte[] value) {
        writes.addByte(PUT).addVarint(family).addBlock(key).addBlock(value);
        count++;
        return this;
    }

    Batch delete(int family, byte[] key) {
        writes.addByte(DELETE).addVarint(family).addBlock(key);
        count++;
        return this;
    }

    /** Returns the documents that get their commit sequence number when the batch is written. Until then the batch does not contain them. */
    List<DocumentWrite.Put> unsequenced() {
        return unsequenced;
    }

    int length() {
        return writes.length();
    }

    /** Returns several batches as one write batch of RocksDB. */
    static byte[] together(List<Batch> batches) {
        int length = 12;
        int count = 0;
        for (Batch batch : batches) {
            length += batch.length();
            count += batch.count;
        }
        ByteWriter out = new ByteWriter(length);
        for (int i = 0; i < 8; i++) {
            out.addByte(0);
        }
        for (int shift = 0; shift < 32; shift += 8) {
            out.addByte(count >>> shift);
        }
        for (Batch batch : batches) {
            out.addAll(batch.writes);
        }
        return out.toBytes();
    }
}
