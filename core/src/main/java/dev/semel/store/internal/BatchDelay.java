package dev.semel.store.internal;

/**
 * Decides how long a group commit waits for more callers before it writes: at most half as long as recent writes took, counted from the
 * end of the previous write. It does not wait if writes are fast, or if waiting has not made groups larger. Used under the lock of its
 * owner.
 */
final class BatchDelay {

    /** A shorter wait is not worth a context switch. */
    private static final long LEAST_NANOS = 50_000;

    private static final long MOST_NANOS = 2_000_000;
    private static final int MOST_SKIPPED = 64;

    private long writeNanos;
    private long lastEnd;
    private int skipped;
    private int toSkip;

    /** Records how long a write took. */
    void written(long startedAt, long endedAt) {
        writeNanos += (endedAt - startedAt - writeNanos) / 8;
        lastEnd = endedAt;
    }

    /** Returns how long to wait from now on; zero or less to write at once. */
    long nanos(long now) {
        long most = Math.min(MOST_NANOS, writeNanos / 2);
        if (most < LEAST_NANOS) {
            return 0;
        }
        if (toSkip > 0) {
            toSkip--;
            return 0;
        }
        return lastEnd + most - now;
    }

    /**
     * Records the result of a wait. It paid if the group grew by a greater factor than the time of the write did. If it did not pay, the
     * next waits are skipped, twice as many each time.
     */
    void learn(int callersBefore, int callers, long waitedNanos) {
        boolean paid = (double) callers / callersBefore > 1 + (double) waitedNanos / writeNanos;
        skipped = paid ? 0 : Math.min(MOST_SKIPPED, 2 * skipped + 1);
        toSkip = skipped;
    }
}
