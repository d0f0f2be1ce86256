package dev.semel.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** For what holds a moment later, when another thread or process has come that far. */
public final class Eventually {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long BREATH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private Eventually() {}

    /** What has to hold in the end. */
    @FunctionalInterface
    public interface Assertion<E extends Exception> {

        void check() throws E;
    }

    /**
     * Checks, in real time, until it holds.
     *
     * @throws AssertionError if it does not within a minute, as it was thrown last
     */
    public static <E extends Exception> void assertHolds(Assertion<E> assertion) throws E {
        assertHolds(PATIENCE, assertion);
    }

    static <E extends Exception> void assertHolds(Duration maxWait, Assertion<E> assertion) throws E {
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
