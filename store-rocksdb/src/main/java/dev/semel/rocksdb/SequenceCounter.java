package dev.semel.rocksdb;

import org.jspecify.annotations.Nullable;

/**
 * Assigns commit sequence numbers by hi/lo allocation: numbers come from memory, and the disk holds an upper bound of the numbers that may
 * have been assigned. After a crash some numbers are skipped, and none is assigned twice. Not thread-safe: only the thread that writes a
 * group uses it.
 */
final class SequenceCounter {

    private static final long AHEAD = 10_000;

    private long last;
    private long writing;
    private long bound;

    /** @param stored the bound on disk; null in a new store */
    SequenceCounter(byte @Nullable [] stored) {
        this.bound = stored == null ? 0 : MetaRows.sequence(stored);
        this.writing = bound;
        this.last = bound;
    }

    long next() {
        return ++last;
    }

    /** Adds a higher bound to the write if a number above the stored bound was assigned. */
    void raiseBound(int family, Batch batch) {
        if (last > bound) {
            writing = last + AHEAD;
            batch.put(family, MetaRows.SEQUENCE, MetaRows.sequenceValue(writing));
        }
    }

    /** Called when the write with the bound was successful. */
    void written() {
        bound = writing;
    }
}
