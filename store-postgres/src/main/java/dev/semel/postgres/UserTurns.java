package dev.semel.postgres;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets those who would wait in the database for the same lock do so one at a time. The others wait here, without a connection, and no
 * longer than they would there.
 */
final class UserTurns {

    private static final int COUNT = 1 << 10;

    private final ReentrantLock[] locks = new ReentrantLock[COUNT];
    private final long nanos;

    UserTurns(Duration longest) {
        this.nanos = longest.toNanos();
        Arrays.setAll(locks, i -> new ReentrantLock());
    }

    /** Runs a task when it is its turn; returns whether it came. */
    boolean run(RowId id, Runnable task) {
        ReentrantLock lock = locks[Math.floorMod(id.lock(), COUNT)];
        try {
            if (!lock.tryLock(nanos, TimeUnit.NANOSECONDS)) {
                return false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        try {
            task.run();
            return true;
        } finally {
            lock.unlock();
        }
    }
}
