package dev.semel.rocksdb;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets everybody through until it is closed; closing waits for those who are inside. Threads count themselves in and out in different
 * slots, so they do not contend.
 */
final class Gate {

    private static final int SLOTS = 64;

    /** So far apart that two slots share no line of a processor's cache. */
    private static final int DISTANCE = 32;

    private static final long PAUSE_NANOS = 100_000;

    private final AtomicIntegerArray inside = new AtomicIntegerArray(SLOTS * DISTANCE);
    private volatile boolean closed;

    private static int slot() {
        return (int) (Thread.currentThread().getId() % SLOTS) * DISTANCE;
    }

    /** Goes in, unless it is closed. */
    boolean enter() {
        int slot = slot();
        inside.incrementAndGet(slot);
        if (closed) {
            inside.decrementAndGet(slot);
            return false;
        }
        return true;
    }

    /** Goes out, on the thread that went in. */
    void leave() {
        inside.decrementAndGet(slot());
    }

    /**
     * Closes, and waits until nobody is inside.
     *
     * @return whether it was open
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
