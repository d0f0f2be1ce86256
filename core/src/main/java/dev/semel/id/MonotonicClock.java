package dev.semel.id;

import dev.semel.id.IdScheme.ExhaustedException;
import dev.semel.id.IdScheme.Lifetime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Ticks that rise with every call, in the whole process, whatever the clock does: 48 bits of Unix milliseconds and a 16-bit
 * counter.
 *
 * <p>In each new millisecond the counter starts at a random place in its lower half, so that two processes are unlikely to
 * count alike, and there is room for 32,768 more. Beyond that, or while the clock stands still or has been set back, the
 * ticks simply go on from the last one, and so may run ahead of the clock; they never wait and never repeat. All callers share
 * one word, which they increment atomically: there is no lock.
 */
final class MonotonicClock {

    static final int COUNTER_BITS = 16;
    static final Lifetime.Between LIFETIME = new Lifetime.Between(Instant.EPOCH, Instant.ofEpochMilli((1L << 48) - 1));

    /** The last millisecond is not used for minting: there the word is caught before it could wrap around. */
    private static final long END = -1L << COUNTER_BITS;

    private static final int LAST = 16;

    private final String scheme;
    private final InstantSource clock;

    /** The last tick, alone in the middle: what stands beside it in memory would be as slow to read as it is to change. */
    private final AtomicLongArray last = new AtomicLongArray(2 * LAST + 1);

    MonotonicClock(String scheme, InstantSource clock) {
        this.scheme = scheme;
        this.clock = Objects.requireNonNull(clock);
    }

    /** A tick above all that were returned before. */
    long next(Randomness.Slot random) {
        long millis = inLifetime(IdScheme.millis(scheme, clock, LIFETIME));
        long tick = last.incrementAndGet(LAST);
        if (millis > tick >>> COUNTER_BITS) {
            tick = moveTo(millis << COUNTER_BITS | random.nextLong() >>> (Long.SIZE - COUNTER_BITS + 1));
        }
        if (Long.compareUnsigned(tick, END) >= 0) {
            last.set(LAST, END);
            throw new ExhaustedException(scheme, "a time so late", LIFETIME);
        }
        return tick;
    }

    /** The first tick of a new millisecond, or one after it if another thread was there before. */
    long moveTo(long fresh) {
        while (true) {
            long previous = last.get(LAST);
            if (Long.compareUnsigned(previous, fresh) >= 0) {
                return last.incrementAndGet(LAST);
            }
            if (last.compareAndSet(LAST, previous, fresh)) {
                return fresh;
            }
        }
    }

    /** The milliseconds of a time, if 48 bits hold them. */
    static long millisOf(String scheme, Instant time) {
        if (time.isBefore(LIFETIME.first()) || time.isAfter(LIFETIME.last().plusNanos(999_999))) {
            throw new ExhaustedException(scheme, time, LIFETIME);
        }
        return time.toEpochMilli();
    }

    private long inLifetime(long millis) {
        if (millis >>> 48 != 0) {
            throw new ExhaustedException(scheme, Instant.ofEpochMilli(millis), LIFETIME);
        }
        return millis;
    }
}
