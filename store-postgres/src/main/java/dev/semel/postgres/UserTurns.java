package dev.semel.postgres;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one caller at a time wait in the database for the lock of a user. The others wait here, without a connection, and for the same time
 * at most.
 */
final class UserTurns {

    private static final int COUNT = 1 << 10;

    private final ReentrantLock[] locks = new ReentrantLock[COUNT];
    private final long nanos;

    UserTurns(Duration longest) {
        this.nanos = longest.toNanos();
        Arrays.setAll(locks, i -> new ReentrantLock());
    }

    /** Runs a task while no other of the same user runs. Returns false if that took too long, or if the thread was interrupted. */
    boolean run(RowId id, Runnable task) {
        ReentrantLock lock = locks[Math.floorMod(id.high(), COUNT)];
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
