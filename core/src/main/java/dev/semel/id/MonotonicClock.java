package dev.semel.id;

import dev.semel.id.IdScheme.ExhaustedException;
import dev.semel.id.IdScheme.Lifetime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A clock whose ticks rise with every call in the process, even if the system's clock is set back: 48 bits of Unix milliseconds and a
 * 16-bit counter.
 *
 * <p>In each new millisecond the counter starts at a random value in its lower half. So two processes are unlikely to count alike, and there
 * is room for 32,768 more ticks. If they are used up, or while the system's clock stands still or has been set back, the ticks continue from
 * the last one and may run ahead of the system's clock. They never wait and never repeat. All callers increment one word atomically; there is
 * no lock.
 */
final class MonotonicClock {

    static final int COUNTER_BITS = 16;
    static final Lifetime.Between LIFETIME = new Lifetime.Between(Instant.EPOCH, Instant.ofEpochMilli((1L << 48) - 1));

    /** The last millisecond is not used for minting, so the word is stopped before it wraps around. */
    private static final long END = -1L << COUNTER_BITS;

    private static final int LAST = 16;

    private final String scheme;
    private final InstantSource clock;

    /** The last tick, padded on both sides: it is written by all threads, and must not share a cache line with other data. */
    private final AtomicLongArray last = new AtomicLongArray(2 * LAST + 1);

    MonotonicClock(String scheme, InstantSource clock) {
        this.scheme = scheme;
        this.clock = Objects.requireNonNull(clock);
    }

    /** Returns a tick that is higher than all before it. */
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

    /** Returns the first tick of a new millisecond, or a later one if another thread was first. */
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

    /** Returns the milliseconds of a time, or throws if they do not fit into 48 bits. */
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
