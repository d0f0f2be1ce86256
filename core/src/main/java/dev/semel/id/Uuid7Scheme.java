package dev.semel.id;

import dev.semel.id.IdScheme.Lifetime;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The scheme {@code uuid7}: UUIDs that begin with 48 bits of Unix milliseconds. The first 16 of the 74 bits that follow are the counter of
 * {@link MonotonicClock}, so ids rise within the process (RFC 9562, section 6.2, method 1); the other 58 are random.
 */
class Uuid7Scheme extends UuidScheme {

    static final int VERSION = 7;

    private final MonotonicClock time;

    Uuid7Scheme(InstantSource clock, Randomness random) {
        this("uuid7", UuidEncoding.CANONICAL, clock, random);
    }

    Uuid7Scheme(String name, UuidEncoding encoding, InstantSource clock, Randomness random) {
        super(name, VERSION, encoding, random);
        this.time = new MonotonicClock(name, clock, Instant.EPOCH, 16);
    }

    @Override
    public final String mint() {
        try (Randomness.Slot slot = random.borrow()) {
            return mint(time.next(slot), slot);
        }
    }

    @Override
    public final String mintAt(Instant instant) {
        try (Randomness.Slot slot = random.borrow()) {
            return mint(time.tickAt(instant, slot), slot);
        }
    }

    private String mint(long tick, Randomness.Slot slot) {
        // 12 bits of the counter fit before the variant, 4 come after it
        long high = (tick & ~0xFFFFL) | (tick >>> 4 & 0xFFF);
        long low = (tick & 15) << 58 | slot.nextLong() >>> 6;
        return mint(high, low, slot);
    }

    @Override
    @Nullable Instant time(ParsedId id) {
        return time.timeOf(id.high());
    }

    @Override
    String random(ParsedId id) {
        return hex((id.high() & 0xFFF) >>> 2, id.high() << 62 | (id.low() & (-1L >>> 2)), 74);
    }

    @Override
    public String summary() {
        return "milliseconds, a counter and 58 random bits, " + encoding.summary;
    }

    @Override
    public final boolean isSortable() {
        return true;
    }

    @Override
    public final int randomBits() {
        return 58;
    }

    @Override
    public final Lifetime lifetime() {
        return time.lifetime();
    }

    @Override
    public IdScheme withClock(InstantSource clock) {
        return new Uuid7Scheme(clock, random);
    }
}
