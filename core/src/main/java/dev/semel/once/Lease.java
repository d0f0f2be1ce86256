package dev.semel.once;

import dev.semel.store.Time;
import java.time.Duration;

/** The right to run a leased operation. It is kept up while the operation runs, and ends with it. */
public final class Lease {

    private final long fence;
    private final Time time;
    private final long lengthNanos;
    private volatile long heldSince;
    private volatile boolean lost;

    Lease(long fence, Time time, Duration length, long heldSince) {
        this.fence = fence;
        this.time = time;
        this.lengthNanos = length.toNanos();
        this.heldSince = heldSince;
    }

    /**
     * A number that rises with every start of any operation in the store. A system that refuses what comes with a lower one than
     * it has seen is safe from owners who come back late.
     */
    public long fence() {
        return fence;
    }

    /**
     * Whether this run is still the one, as far as can be known without asking the store. Once this is false another may have
     * begun, and what this one answers may not be recorded; it should stop. A clock of the store that is set forward can end a lease
     * before this is known here.
     */
    public boolean isHeld() {
        return !lost && time.nanoTime() - heldSince < lengthNanos;
    }

    void heldSince(long nanoTime) {
        heldSince = nanoTime;
    }

    void lose() {
        lost = true;
    }
}
