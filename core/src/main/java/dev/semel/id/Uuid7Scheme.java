package dev.semel.id;

import dev.semel.id.IdScheme.Lifetime;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The scheme {@code uuid7}: UUIDs that begin with 48 bits of Unix milliseconds. The first 16 of the 74 bits that follow are the counter of
 * {@link MonotonicClock}, so ids rise within the process (RFC 9562, section 6.2, method 1); the other 58 are random.
 */
final class Uuid7Scheme extends UuidScheme {

    private final MonotonicClock time;

    Uuid7Scheme(InstantSource clock, Randomness random) {
        super("uuid7", 7, UuidEncoding.CANONICAL, random);
        this.time = new MonotonicClock(name(), clock);
    }

    @Override
    public String mint() {
        try (Randomness.Slot slot = random.borrow()) {
            long tick = time.next(slot);
            // 12 bits of the counter fit before the variant, 4 come after it
            long high = (tick & ~0xFFFFL) | (tick >>> 4 & 0xFFF);
            long low = (tick & 15) << 58 | slot.nextLong() >>> 6;
            return mint(high, low, slot);
        }
    }

    @Override
    public String mintAt(Instant instant) {
        long millis = MonotonicClock.millisOf(name(), instant);
        try (Randomness.Slot slot = random.borrow()) {
            return mint(millis << 16 | slot.nextLong() >>> 48, slot.nextLong(), slot);
        }
    }

    @Override
    Instant time(long high, long low) {
        return Instant.ofEpochMilli(high >>> 16);
    }

    @Override
    String random(long high, long low) {
        return hex((high & 0xFFF) >>> 2, high << 62 | (low & (-1L >>> 2)), 74);
    }

    @Override
    public String summary() {
        return "milliseconds, a counter and 58 random bits, as a UUID";
    }

    @Override
    public boolean isSortable() {
        return true;
    }

    @Override
    public int randomBits() {
        return 58;
    }

    @Override
    public Lifetime lifetime() {
        return MonotonicClock.LIFETIME;
    }

    @Override
    public IdScheme withClock(InstantSource clock) {
        return new Uuid7Scheme(clock, random);
    }
}
