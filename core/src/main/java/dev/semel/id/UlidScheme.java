package dev.semel.id;

import dev.semel.id.IdScheme.Lifetime;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The scheme {@code ulid}: 48 bits of Unix milliseconds and 80 more bits, as 26 digits of Crockford's base 32. The first 16 of the 80 are
 * the counter of {@link MonotonicClock}, so ids rise within the process; the other 64 are random.
 */
final class UlidScheme extends IdScheme {

    private static final int LENGTH = Base32.LENGTH_128;
    private static final short[] PAIRS = Alphabet.BASE32.pairs();

    private final Randomness random;
    private final MonotonicClock time;

    UlidScheme(InstantSource clock, Randomness random) {
        super("ulid", Alphabet.BASE32.characters(), LENGTH, LENGTH);
        this.random = random;
        this.time = new MonotonicClock(name(), clock, Instant.EPOCH, 16);
    }

    @Override
    public String mint() {
        try (Randomness.Slot slot = random.borrow()) {
            Base32.encode(PAIRS, time.next(slot), slot.nextLong(), slot.scratch);
            return slot.text(LENGTH);
        }
    }

    @Override
    public String mintAt(Instant instant) {
        try (Randomness.Slot slot = random.borrow()) {
            Base32.encode(PAIRS, time.tickAt(instant, slot), slot.nextLong(), slot.scratch);
            return slot.text(LENGTH);
        }
    }

    @Override
    @Nullable ParsedId decode(String text) {
        return Base32.decode128(this, Alphabet.BASE32, text);
    }

    @Override
    Fault layoutFault(String text) {
        return new Fault(0, "exceeds 128 bits");
    }

    @Override
    String text(ParsedId id) {
        byte[] out = new byte[LENGTH];
        Base32.encode(PAIRS, id.high(), id.low(), out);
        return Randomness.text(out, out.length);
    }

    @Override
    Instant time(ParsedId id) {
        return time.timeOf(id.high());
    }

    @Override
    String random(ParsedId id) {
        return hex(id.high() & 0xFFFF, id.low(), 80);
    }

    @Override
    public String expected() {
        return "26 of 0-9A-Z without I, L, O and U, at most 7ZZZZZZZZZZZZZZZZZZZZZZZZZ";
    }

    @Override
    public String summary() {
        return "milliseconds, a counter and 64 random bits, in Crockford's base 32";
    }

    @Override
    public boolean isSortable() {
        return true;
    }

    @Override
    public int randomBits() {
        return 64;
    }

    @Override
    public Lifetime lifetime() {
        return time.lifetime();
    }

    @Override
    public IdScheme withClock(InstantSource clock) {
        return new UlidScheme(clock, random);
    }
}
