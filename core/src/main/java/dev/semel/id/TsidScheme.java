package dev.semel.id;

import dev.semel.id.IdScheme.Lifetime;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The scheme {@code tsid}: 42 bits of milliseconds since 2020 and 22 more bits, as 13 digits of Crockford's base 32.
 *
 * <p>Other implementations divide the 22 bits into the number of a node, which has to be configured, and a counter. Here all of them are
 * the counter of {@link MonotonicClock}, which starts at a random value in each millisecond. So ids rise and never repeat within the process,
 * without a setting. Those of two processes collide if they are minted in the same millisecond and count through the same values.
 */
final class TsidScheme extends IdScheme {

    private static final Instant EPOCH = Instant.parse("2020-01-01T00:00:00Z");
    private static final int COUNTER_BITS = 22;
    private static final int LENGTH = Base32.LENGTH_64;
    private static final short[] PAIRS = Alphabet.BASE32.pairs();

    private final Randomness random;
    private final MonotonicClock time;

    TsidScheme(InstantSource clock, Randomness random) {
        super("tsid", Alphabet.BASE32.characters(), LENGTH, LENGTH);
        this.random = random;
        this.time = new MonotonicClock(name(), clock, EPOCH, COUNTER_BITS);
    }

    @Override
    public String mint() {
        try (Randomness.Slot slot = random.borrow()) {
            Base32.encode(PAIRS, time.next(slot), slot.scratch);
            return slot.text(LENGTH);
        }
    }

    @Override
    public String mintAt(Instant instant) {
        try (Randomness.Slot slot = random.borrow()) {
            Base32.encode(PAIRS, time.tickAt(instant, slot), slot.scratch);
            return slot.text(LENGTH);
        }
    }

    @Override
    @Nullable ParsedId decode(String text) {
        return Base32.decode64(this, Alphabet.BASE32, text);
    }

    @Override
    Fault layoutFault(String text) {
        return new Fault(0, "exceeds 64 bits");
    }

    @Override
    String text(ParsedId id) {
        byte[] out = new byte[LENGTH];
        Base32.encode(PAIRS, id.low(), out);
        return Randomness.text(out, out.length);
    }

    @Override
    Instant time(ParsedId id) {
        return time.timeOf(id.low());
    }

    @Override
    String random(ParsedId id) {
        return hex(0, id.low() & ((1 << COUNTER_BITS) - 1), COUNTER_BITS);
    }

    @Override
    public String expected() {
        return "13 of 0-9A-Z without I, L, O and U, at most FZZZZZZZZZZZZ";
    }

    @Override
    public String summary() {
        return "milliseconds since 2020 and a 22-bit counter, in Crockford's base 32";
    }

    @Override
    public boolean isSortable() {
        return true;
    }

    /** Returns 0: only the start of the counter is random, once in a millisecond. */
    @Override
    public int randomBits() {
        return 0;
    }

    @Override
    public Lifetime lifetime() {
        return time.lifetime();
    }

    @Override
    public IdScheme withClock(InstantSource clock) {
        return new TsidScheme(clock, random);
    }
}
