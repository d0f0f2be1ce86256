package dev.semel.store.internal;

/**
 * How long to wait for more callers before a write: at most half as long as writes take of late, counted from the end of the one
 * before, and not at all where that is short or has not paid. Used under its owner's lock.
 */
final class BatchDelay {

    /** Waiting for less is not worth the switch of threads. */
    private static final long LEAST_NANOS = 50_000;

    private static final long MOST_NANOS = 2_000_000;
    private static final int MOST_SKIPPED = 64;

    private long writeNanos;
    private long lastEnd;
    private int skipped;
    private int toSkip;

    /** A write has taken some time. */
    void written(long startedAt, long endedAt) {
        writeNanos += (endedAt - startedAt - writeNanos) / 8;
        lastEnd = endedAt;
    }

    /** How long it may be worth to wait from now on; not at all if zero or less. */
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

    /** It paid if callers became more by a greater part than the time did; if not, it is tried again after a while. */
    void learn(int callersBefore, int callers, long waitedNanos) {
        boolean paid = (double) callers / callersBefore > 1 + (double) waitedNanos / writeNanos;
        skipped = paid ? 0 : Math.min(MOST_SKIPPED, 2 * skipped + 1);
        toSkip = skipped;
    }
}
