package dev.semel.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions that another thread or process brings about. */
public final class Eventually {

    /** How long to wait at most. */
    public static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final long BREATH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private Eventually() {}

    /** A condition that has to hold in the end. It throws an {@link AssertionError} as long as it does not hold. */
    @FunctionalInterface
    public interface Assertion<E extends Exception> {

        void check() throws E;
    }

    /**
     * Repeats a check until it succeeds.
     *
     * @throws AssertionError the error of the last check, if none succeeds within a minute of real time
     */
    public static <E extends Exception> void assertHolds(Assertion<E> assertion) throws E {
        assertHolds(PATIENCE, assertion);
    }

    /**
     * Repeats a check until it succeeds.
     *
     * @throws AssertionError the error of the last check, if none succeeds in time
     */
    public static <E extends Exception> void assertHolds(Duration maxWait, Assertion<E> assertion) throws E {
        long startedAt = System.nanoTime();
        while (true) {
            try {
                assertion.check();
                return;
            } catch (AssertionError e) {
                if (System.nanoTime() - startedAt > maxWait.toNanos()) {
                    throw e;
                }
            }
            LockSupport.parkNanos(BREATH_NANOS);
        }
    }
}
