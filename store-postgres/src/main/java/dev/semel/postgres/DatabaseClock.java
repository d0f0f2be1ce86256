package dev.semel.postgres;

import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the database's time: the time that the database last returned, plus the nanoseconds since. All servers get about the same time,
 * whatever their own clocks show. Tests provide a time instead.
 */
final class DatabaseClock implements InstantSource {

    /** A slower response is too imprecise, because it is unknown when the server read its clock. */
    private static final long QUICK_NANOS = 20_000_000;

    /** After this time a slow response is used too, because clocks drift. */
    private static final long OLD_NANOS = 60_000_000_000L;

    private final @Nullable InstantSource given;
    private volatile Observation last;

    private record Observation(Instant time, long nanos) {}

    /**
     * Makes a clock from a first observation.
     *
     * @param given the time for tests; null for the database's time
     * @param time the time that the database has just returned
     * @param asked {@link System#nanoTime()} before the request
     */
    DatabaseClock(@Nullable InstantSource given, Instant time, long asked) {
        this.given = given;
        this.last = observation(time, asked, System.nanoTime());
    }

    /** Returns the time of a test; null for the database's time. */
    @Nullable Instant given() {
        return given == null ? null : given.instant();
    }

    /** Takes a time that the database has just returned. */
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
