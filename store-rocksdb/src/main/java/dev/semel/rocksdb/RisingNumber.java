package dev.semel.rocksdb;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Numbers that rise as long as the store exists. They are handed out from memory, and the disk is told only of the highest that may
 * have been; so some are left out when a process ends, and none is ever handed out twice.
 */
final class RisingNumber {

    private static final long AHEAD = 10_000;

    private final byte[] row;
    private final AtomicLong last;

    // of whoever writes, one at a time
    private long told;
    private long kept;

    /** @param kept what the disk was told last, if anything */
    RisingNumber(byte[] row, byte @Nullable [] kept) {
        this.row = row;
        this.kept = kept == null ? 0 : Rows.number(kept);
        this.told = this.kept;
        this.last = new AtomicLong(this.kept);
    }

    long next() {
        return last.incrementAndGet();
    }

    /** Has the disk told, together with what is about to be written, if a number was handed out that it does not know of. */
    void keep(int family, Batch batch) {
        long now = last.get();
        if (now > kept) {
            told = now + AHEAD;
            batch.put(family, row, new ByteWriter(10).addVarint(told).toBytes());
        }
    }

    /** What was written is on disk. */
    void kept() {
        kept = told;
    }
}
