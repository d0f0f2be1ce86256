package dev.semel.rocksdb;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps a resource open while threads use it. Any number of threads may be inside. Closing rejects new ones, and waits until all others
 * have left. Each thread counts itself in one of several slots, so threads do not contend for one counter.
 */
final class Gate {

    private static final int SLOTS = 64;

    /** Distance between two slots, so that no two share a cache line. */
    private static final int DISTANCE = 32;

    private static final long PAUSE_NANOS = 100_000;

    private final AtomicIntegerArray inside = new AtomicIntegerArray(SLOTS * DISTANCE);
    private volatile boolean closed;

    private static int slot() {
        return (int) (Thread.currentThread().getId() % SLOTS) * DISTANCE;
    }

    /** Enters, unless the gate is closed. */
    boolean enter() {
        int slot = slot();
        inside.incrementAndGet(slot);
        if (closed) {
            inside.decrementAndGet(slot);
            return false;
        }
        return true;
    }

    /** Leaves, on the thread that entered. */
    void leave() {
        inside.decrementAndGet(slot());
    }

    /**
     * Closes the gate, and waits until all threads have left.
     *
     * @return false if it was closed before
     */
    synchronized boolean close() {
        if (closed) {
            return false;
        }
        closed = true;
        for (int slot = 0; slot < SLOTS * DISTANCE; slot += DISTANCE) {
            while (inside.get(slot) != 0) {
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
        return true;
    }
}
