package dev.semel.store.internal;

import dev.semel.id.IdScheme;
import dev.semel.id.IdScheme.Lifetime;
import dev.semel.id.IdSchemes;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Mints ids that only have to be unique, such as commit ids, in the scheme {@code tid62}. The scheme cannot mint before 2020. This class
 * accepts any clock, since an operation that has had its effect must be recorded even if the clock is wrong. Thread-safe.
 */
public final class UniqueIds {

    private static final UniqueIds SYSTEM = new UniqueIds(InstantSource.system());

    private final IdScheme scheme;

    /** Mints ids that contain the time of a given clock, or the nearest time that the scheme can represent. */
    public UniqueIds(InstantSource clock) {
        this.scheme = IdSchemes.TID62.withClock(new BoundedClock(clock));
    }

    /** Returns a new id with the time of the system's clock. */
    public static String mint() {
        return SYSTEM.next();
    }

    /** Returns a new id with the time of the clock. */
    public String next() {
        return scheme.mint();
    }

    private record BoundedClock(InstantSource clock) implements InstantSource {

        private static final Lifetime.Between LIFETIME = (Lifetime.Between) IdSchemes.TID62.lifetime();
        private static final long FIRST = LIFETIME.first().toEpochMilli();
        private static final long LAST = LIFETIME.last().toEpochMilli();

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis());
        }

        @Override
        public long millis() {
            try {
                return Math.max(FIRST, Math.min(clock.millis(), LAST));
            } catch (ArithmeticException e) {
                return LAST; // a time that has no milliseconds in a long
            }
        }
    }
}
