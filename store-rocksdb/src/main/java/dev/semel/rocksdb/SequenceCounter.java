package dev.semel.rocksdb;

import org.jspecify.annotations.Nullable;

/**
 * Commit sequence numbers, allocated by hi/lo: they are assigned from memory, and the disk holds an upper bound of those that may have
 * been assigned. After a crash some numbers are skipped, and none is assigned twice.
 */
final class SequenceCounter {

    private static final long AHEAD = 10_000;

    // of the thread that writes, one at a time
    private long last;
    private long writing;
    private long bound;

    /** @param stored the bound on disk, if there is one */
    SequenceCounter(byte @Nullable [] stored) {
        this.bound = stored == null ? 0 : MetaRows.sequence(stored);
        this.writing = bound;
        this.last = bound;
    }

    long next() {
        return ++last;
    }

    /** Raises the bound together with what is about to be written, if a number above it was assigned. */
    void raiseBound(int family, Batch batch) {
        if (last > bound) {
            writing = last + AHEAD;
            batch.put(family, MetaRows.SEQUENCE, MetaRows.sequenceValue(writing));
        }
    }

    /** The bound was written. */
    void written() {
        bound = writing;
    }
}
