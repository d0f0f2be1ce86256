package dev.semel.store.internal;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lock striping for rows within a process: each row belongs, by its hash, to one of 16,384 locks, so two rows seldom share one. Locks are
 * always taken in the same order, so there is no deadlock.
 */
public final class RowLocks {

    private static final int COUNT = 1 << 14;

    private final ReentrantLock[] locks = new ReentrantLock[COUNT];

    /** Makes the locks, all of them free. */
    public RowLocks() {
        Arrays.setAll(locks, i -> new ReentrantLock());
    }

    /** The locks that a thread holds for some rows, until it releases them. */
    public final class Held {
        private final int[] numbers;

        private Held(int[] numbers) {
            this.numbers = numbers;
        }

        /** Releases the locks. Called by the thread that locked them. */
        public void release() {
            RowLocks.this.release(numbers, numbers.length);
        }
    }

    /**
     * Locks some rows, waiting until they are free.
     *
     * @throws StackOverflowError if the stack is nearly used up; then nothing is locked
     */
    public Held lock(List<byte[]> rows) {
        int[] numbers = new int[rows.size()];
        Arrays.setAll(numbers, i -> number(Arrays.hashCode(rows.get(i))));
        Arrays.sort(numbers);
        StackReserve.check(StackReserve.SMALL); // an overflow while releasing would keep the locks
        Held held = new Held(numbers);
        int locked = 0;
        try {
            while (locked < numbers.length) {
                locks[numbers[locked]].lock(); // reentrant: a lock that two of the rows share is taken twice
                locked++;
            }
            return held;
        } catch (Throwable e) {
            release(numbers, locked);
            throw e;
        }
    }

    private void release(int[] numbers, int count) {
        for (int i = 0; i < count; i++) {
            locks[numbers[i]].unlock();
        }
    }

    /** Waits until a row is unlocked, at most for a given time: a row that is read then is seldom about to change. */
    public void awaitFree(byte[] row, Duration atMost) {
        ReentrantLock lock = locks[number(Arrays.hashCode(row))];
        if (!lock.isLocked() || lock.isHeldByCurrentThread()) {
            return;
        }
        try {
            if (lock.tryLock(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
                lock.unlock();
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
