package dev.semel.memory;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.locks.StampedLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Lock striping: each row belongs, by its hash, to one of a few locks. Several locks are always taken in ascending order. */
final class StripedLocks {

    static final int MOST = 256;

    private static final int SPINS = 10;

    private final StampedLock[] locks;

    /** @param count a power of two up to {@value #MOST} */
    StripedLocks(int count) {
        if (count < 1 || count > MOST || Integer.bitCount(count) != 1) {
            throw new IllegalArgumentException("Not a power of two up to " + MOST + ": " + count);
        }
        this.locks = new StampedLock[count];
        Arrays.setAll(locks, i -> new StampedLock());
    }

    /** Returns the number of a row's lock. */
    int stripe(Object row) {
        int hash = row.hashCode() * 0x9E3779B9;
        return (hash >>> 16) & (locks.length - 1);
    }

    /** Returns the numbers of all locks. */
    int[] all() {
        return IntStream.range(0, locks.length).toArray();
    }

    /** Reads a row: optimistically at first, and after some failed attempts under the lock. */
    <K, V> @Nullable V read(Object lockedBy, Map<K, V> rows, K key) {
        StampedLock lock = locks[stripe(lockedBy)];
        for (int spins = 0; spins < SPINS; spins++) {
            long stamp = lock.tryOptimisticRead();
            if (stamp != 0) {
                V row = rows.get(key);
                if (lock.validate(stamp)) {
                    return row;
                }
            }
            Thread.onSpinWait();
        }
        long stamp = lock.readLock();
        try {
            return rows.get(key);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /** Runs a task under the lock of a row. */
    void locked(Object row, Runnable task) {
        StampedLock lock = locks[stripe(row)];
        lock(lock);
        try {
            task.run();
        } finally {
            lock.tryUnlockWrite();
        }
    }

    /** Takes all locks for reading. */
    void lockAllForReading() {
        for (StampedLock lock : locks) {
            lock.readLock();
        }
    }

    void unlockAllForReading() {
        for (StampedLock lock : locks) {
            lock.tryUnlockRead();
        }
    }

    /** Takes the locks with given numbers, which are sorted and may repeat. */
    void lock(int[] sorted) {
        int last = -1;
        for (int stripe : sorted) {
            if (stripe != last) {
                lock(locks[stripe]);
            }
            last = stripe;
        }
    }

    void unlock(int[] sorted) {
        int last = -1;
        for (int stripe : sorted) {
            if (stripe != last) {
                locks[stripe].tryUnlockWrite();
            }
            last = stripe;
        }
    }

    /** Spins first: a commit holds its locks for about a microsecond, and waking a thread takes longer. */
    private static void lock(StampedLock lock) {
        for (int spins = 0; spins < SPINS; spins++) {
            if (lock.tryWriteLock() != 0) {
                return;
            }
            Thread.onSpinWait();
        }
        lock.writeLock();
    }
}
