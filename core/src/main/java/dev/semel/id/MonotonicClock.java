package dev.semel.id;

import dev.semel.id.IdScheme.ExhaustedException;
import dev.semel.id.IdScheme.Lifetime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A clock whose ticks rise with every call in the process, even if the system's clock is set back: milliseconds since an epoch, and a counter
 * in the lowest bits. Both together have 64 bits.
 *
 * <p>In each new millisecond the counter starts at a random value. So two processes are unlikely to count alike. The last 32,768 values are no
 * starts, so there is room for as many more ticks. If they are used up, or while the system's clock stands still or has been set back, the
 * ticks continue from the last one and may run ahead of the system's clock. They never wait and never repeat. All callers increment one word
 * atomically; there is no lock.
 */
final class MonotonicClock {

    private static final int ROOM = 1 << 15;
    private static final int LAST = 16;

    private final String scheme;
    private final InstantSource clock;
    private final long epochMillis;
    private final int counterBits;
    private final Lifetime.Between lifetime;

    /** The last millisecond is not used for minting, so the word is stopped before it wraps around. */
    private final long end;

    /** The last tick, padded on both sides: it is written by all threads, and must not share a cache line with other data. */
    private final AtomicLongArray last = new AtomicLongArray(2 * LAST + 1);

    /** @param counterBits more than 15 */
    MonotonicClock(String scheme, InstantSource clock, Instant epoch, int counterBits) {
        this.scheme = scheme;
        this.clock = Objects.requireNonNull(clock);
        this.epochMillis = epoch.toEpochMilli();
        this.counterBits = counterBits;
        this.lifetime = new Lifetime.Between(epoch, epoch.plusMillis((1L << (Long.SIZE - counterBits)) - 1));
        this.end = -1L << counterBits;
    }

    /** Returns a tick that is higher than all before it. */
    long next(Randomness.Slot random) {
        long millis = IdScheme.millis(scheme, clock, lifetime) - epochMillis;
        if (millis >>> (Long.SIZE - counterBits) != 0) {
            throw new ExhaustedException(scheme, Instant.ofEpochMilli(millis + epochMillis), lifetime);
        }
        long tick = last.incrementAndGet(LAST);
        if (millis > tick >>> counterBits) {
            tick = moveTo(millis << counterBits | random.below((1 << counterBits) - ROOM));
        }
        if (Long.compareUnsigned(tick, end) >= 0) {
            last.set(LAST, end);
            throw new ExhaustedException(scheme, "a time so late", lifetime);
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

    /** Returns a tick at a given time with a random counter, or throws if the time is outside the lifetime. */
    long tickAt(Instant time, Randomness.Slot random) {
        if (time.isBefore(lifetime.first()) || time.isAfter(lifetime.last().plusNanos(999_999))) {
            throw new ExhaustedException(scheme, time, lifetime);
        }
        return (time.toEpochMilli() - epochMillis) << counterBits | random.nextLong() >>> (Long.SIZE - counterBits);
    }

    /** Returns the time of a tick, whatever its counter. */
    Instant timeOf(long tick) {
        return Instant.ofEpochMilli((tick >>> counterBits) + epochMillis);
    }

    Lifetime.Between lifetime() {
        return lifetime;
    }
}
