package dev.semel.postgres;

import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * An estimate of the database's time: what it was when the database last returned it, and how long that is ago. Servers agree on it. A test
 * may give a time instead.
 */
final class DatabaseClock implements InstantSource {

    /** A response that took longer shows little about the time. */
    private static final long QUICK_NANOS = 20_000_000;

    /** As precise as the one before may have become by then. */
    private static final long OLD_NANOS = 60_000_000_000L;

    private final @Nullable InstantSource given;
    private volatile Observation last;

    private record Observation(Instant time, long nanos) {}

    /**
     * @param given the time to count by; null for the database's
     * @param time the database's time
     * @param asked the system's nanoseconds before the database was asked, which responded now
     */
    DatabaseClock(@Nullable InstantSource given, Instant time, long asked) {
        this.given = given;
        this.last = observation(time, asked, System.nanoTime());
    }

    /** The time that statements are to count by; null for the database's. */
    @Nullable Instant given() {
        return given == null ? null : given.instant();
    }

    /** The database has returned its time again. */
    void observe(Instant time, long asked) {
        long responded = System.nanoTime();
        if (responded - asked < QUICK_NANOS || asked - last.nanos > OLD_NANOS) {
            last = observation(time, asked, responded);
        }
    }

    private static Observation observation(Instant time, long asked, long responded) {
        return new Observation(time, asked + (responded - asked) / 2);
    }

    @Override
    public Instant instant() {
        Instant now = given();
        if (now == null) {
            Observation observed = last;
            now = observed.time.plusNanos(System.nanoTime() - observed.nanos);
        }
        return Parameters.stored(now);
    }
}
