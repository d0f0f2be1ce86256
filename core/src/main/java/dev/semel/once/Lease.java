package dev.semel.once;

import dev.semel.store.Time;
import java.time.Duration;

/** The exclusive right to run a leased operation. It is renewed while the operation runs, and ends when the operation ends. */
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
     * Returns the fencing token: a number that rises with every start of this key. Tokens of different keys are not comparable. A system
     * that rejects requests with a lower token than it has seen for the key is safe from owners that come back late.
     */
    public long fencingToken() {
        return fencingToken;
    }

    /**
     * Whether this run still owns the operation, as far as this process can know without asking the store. Once this returns false, another
     * run may have started and this run's response may be rejected, so the operation should stop. If the store's clock is set forward, the
     * lease can expire while this still returns true.
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

    /** The cause of a failure whose run lost its lease: another run took over, so the response was not recorded. */
    public static final class LostException extends Exception {

        private static final long serialVersionUID = 1L;

        LostException(long fencingToken) {
            super("The lease with fencing token " + fencingToken + " was lost before the operation completed");
        }
    }
}
