package dev.semel.rocksdb;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets everybody through until it is closed; closing waits for those who are inside. Threads count themselves in and out in different
 * places, so they do not get in one another's way.
 */
final class Gate {

    private static final int PLACES = 64;

    /** So far apart that two places share no line of a processor's cache. */
    private static final int DISTANCE = 32;

    private static final long PAUSE_NANOS = 100_000;

    private final AtomicIntegerArray inside = new AtomicIntegerArray(PLACES * DISTANCE);
    private volatile boolean closed;

    private static int place() {
        return (int) (Thread.currentThread().getId() % PLACES) * DISTANCE;
    }

    /** Goes in, unless it is closed. */
    boolean enter() {
        int place = place();
        inside.incrementAndGet(place);
        if (closed) {
            inside.decrementAndGet(place);
            return false;
        }
        return true;
    }

    /** Goes out, on the thread that went in. */
    void leave() {
        inside.decrementAndGet(place());
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
        for (int place = 0; place < PLACES * DISTANCE; place += DISTANCE) {
            while (inside.get(place) != 0) {
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
        return true;
    }
}
