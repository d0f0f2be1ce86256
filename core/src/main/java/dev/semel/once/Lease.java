package dev.semel.once;

import dev.semel.store.Time;
import java.time.Duration;

/** The exclusive right to run a leased operation. It is renewed while the operation runs, and ends with it. */
public final class Lease {

    private final long fencingToken;
    private final Time time;
    private final long lengthNanos;
    private volatile long heldSince;
    private volatile boolean lost;

    Lease(long fencingToken, Time time, Duration length, long heldSince) {
        this.fencingToken = fencingToken;
        this.time = time;
        this.lengthNanos = length.toNanos();
        this.heldSince = heldSince;
    }

    /**
     * A number that rises with every start of this key, and is not comparable with those of other keys. A system that rejects requests
     * with a lower one than it has seen for the key is safe from owners that come back late.
     */
    public long fencingToken() {
        return fencingToken;
    }

    /**
     * Whether this run still owns the operation, as far as can be known without asking the store. Once this is false another run may
     * have started, and this one's response may be rejected; it should stop. If the store's clock is set forward, a lease can expire
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

    /** The lease expired and another run took over, so the operation's result was not recorded. */
    public static final class LostException extends Exception {

        private static final long serialVersionUID = 1L;

        LostException(long fencingToken) {
            super("The lease with fencing token " + fencingToken + " was lost before the operation completed");
        }
    }
}
