package dev.semel.store.internal;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Lock striping for rows within a process: each row belongs, by its hash, to one of 16,384 locks, so two rows seldom share one. Locks are
 * always taken in the same order, so there is no deadlock. A row that is only checked is locked in shared mode, so commits with the same
 * precondition do not wait for each other.
 */
public final class RowLocks {

    private static final int COUNT = 1 << 14;

    private final ReentrantReadWriteLock[] locks = new ReentrantReadWriteLock[COUNT];

    /** Makes the locks, all of them free. */
    public RowLocks() {
        Arrays.setAll(locks, i -> new ReentrantReadWriteLock());
    }

    /** The locks that a thread holds for some rows, until it releases them. */
    public final class Held {
        private final int[] modes;

        private Held(int[] modes) {
            this.modes = modes;
        }

        /** Releases the locks. Called by the thread that locked them. */
        public void release() {
            RowLocks.this.release(modes, modes.length);
        }
    }

    /**
     * Locks some rows, waiting until they are free.
     *
     * @throws StackOverflowError if the stack is nearly used up; then nothing is locked
     */
    public Held lock(List<byte[]> rows) {
        return lock(rows, List.of());
    }

    /**
     * Locks some rows, and others in shared mode, waiting until they are free.
     *
     * @param rows rows that may be written
     * @param checked rows that are only checked
     * @throws StackOverflowError if the stack is nearly used up; then nothing is locked
     */
    public Held lock(List<byte[]> rows, List<byte[]> checked) {
        int[] modes = new int[rows.size() + checked.size()];
        for (int i = 0; i < modes.length; i++) {
            boolean shared = i >= rows.size();
            byte[] row = shared ? checked.get(i - rows.size()) : rows.get(i);
            modes[i] = 2 * number(Arrays.hashCode(row)) + (shared ? 1 : 0);
        }
        // Of one lock, the exclusive mode comes first: its holder may add the shared mode, but not the reverse.
        Arrays.sort(modes);
        StackReserve.check(StackReserve.SMALL); // an overflow while releasing would keep the locks
        Held held = new Held(modes);
        int locked = 0;
        try {
            while (locked < modes.length) {
                ofMode(modes[locked]).lock(); // reentrant: a lock that two of the rows share is taken twice
                locked++;
            }
            return held;
        } catch (Throwable e) {
            release(modes, locked);
            throw e;
        }
    }

    private void release(int[] modes, int count) {
        for (int i = 0; i < count; i++) {
            ofMode(modes[i]).unlock();
        }
    }

    /** @param mode twice the number of a lock, plus 1 for the shared mode */
    private Lock ofMode(int mode) {
        ReentrantReadWriteLock lock = locks[mode >>> 1];
        return (mode & 1) == 0 ? lock.writeLock() : lock.readLock();
    }

    /** Waits until no commit can write a row, at most for a given time: a row that is read then is seldom about to change. */
    public void awaitFree(byte[] row, Duration atMost) {
        ReentrantReadWriteLock lock = locks[number(Arrays.hashCode(row))];
        if (!lock.isWriteLocked() || lock.isWriteLockedByCurrentThread()) {
            return;
        }
        try {
            if (lock.readLock().tryLock(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
                lock.readLock().unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int number(int hash) {
        int spread = hash * 0x9E3779B9;
        return spread >>> (Integer.SIZE - Integer.numberOfTrailingZeros(COUNT));
    }
}
