package dev.semel.postgres;

import java.time.Instant;
import java.time.InstantSource;

/** An estimate of the database's time: what it was when the database last told, and how long that is ago. Servers agree on it. */
final class DatabaseClock implements InstantSource {

    /** An answer that took longer tells little about the time. */
    private static final long QUICK_NANOS = 20_000_000;

    /** As precise as the one before may have become by then. */
    private static final long OLD_NANOS = 60_000_000_000L;

    private volatile Told told;

    private record Told(Instant time, long nanos) {}

    /** @param asked the system's nanoseconds before the database was asked, which answered now */
    DatabaseClock(Instant time, long asked) {
        long answered = System.nanoTime();
        this.told = new Told(time, asked + (answered - asked) / 2);
    }

    /** The database has told the time again. */
    void tell(Instant time, long asked) {
        long answered = System.nanoTime();
        if (answered - asked < QUICK_NANOS || asked - told.nanos > OLD_NANOS) {
            told = new Told(time, asked + (answered - asked) / 2);
        }
    }

    @Override
    public Instant instant() {
        Told last = told;
        return Parameters.kept(last.time.plusNanos(System.nanoTime() - last.nanos));
    }
}
