package dev.semel.id;

import dev.semel.id.IdScheme.Lifetime;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The scheme {@code ulid}: 48 bits of Unix milliseconds and 80 more bits, as 26 digits of Crockford's base 32. The first 16 of the 80 are
 * the counter of {@link MonotonicClock}, so ids rise within the process; the other 64 are random.
 */
final class UlidScheme extends IdScheme {

    private static final int LENGTH = 26;
    private static final short[] PAIRS = Alphabet.BASE32.pairs();
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    private final Randomness random;
    private final MonotonicClock time;

    UlidScheme(InstantSource clock, Randomness random) {
        super("ulid", Alphabet.BASE32.characters(), LENGTH, LENGTH);
        this.random = random;
        this.time = new MonotonicClock(name(), clock);
    }

    @Override
    public String mint() {
        try (Randomness.Slot slot = random.borrow()) {
            encode(time.next(slot), slot.nextLong(), slot.scratch);
            return slot.text(LENGTH);
        }
    }

    @Override
    public String mintAt(Instant instant) {
        long millis = MonotonicClock.millisOf(name(), instant);
        try (Randomness.Slot slot = random.borrow()) {
            encode(millis << 16 | slot.nextLong() >>> 48, slot.nextLong(), slot.scratch);
            return slot.text(LENGTH);
        }
    }

    /** Encodes one digit of three bits and 25 of five, in pairs. The 14th digit has one bit of the high word and four of the low. */
    private static void encode(long high, long low, byte[] out) {
        LONGS.set(
                out,
                0,
                pair(high >>> 56) << 48 | pair(high >>> 46) << 32 | pair(high >>> 36) << 16 | pair(high >>> 26));
        LONGS.set(
                out,
                8,
                pair(high >>> 16) << 48
                        | pair(high >>> 6) << 32
                        | pair(high << 4 | low >>> 60) << 16
                        | pair(low >>> 50));
        LONGS.set(out, 16, pair(low >>> 40) << 48 | pair(low >>> 30) << 32 | pair(low >>> 20) << 16 | pair(low >>> 10));
        SHORTS.set(out, 24, (short) pair(low));
    }

    /** Returns the lowest ten bits as two ASCII characters. */
    private static long pair(long bits) {
        return PAIRS[(int) bits & 1023];
    }

    @Override
    @Nullable ParsedId decode(String text) {
        if (text.length() != LENGTH) {
            return null;
        }
        int first = Alphabet.BASE32.value(text.charAt(0));
        int seen = first | 7 - first; // negative if the first character is no digit, or a digit above 7
        long high = first;
        for (int i = 1; i < 13; i++) {
            int value = Alphabet.BASE32.value(text.charAt(i));
            seen |= value;
            high = high << 5 | value;
        }
        int fourteenth = Alphabet.BASE32.value(text.charAt(13));
        seen |= fourteenth;
        long low = fourteenth; // its first bit, which belongs to the high word, is shifted out below
        for (int i = 14; i < LENGTH; i++) {
            int value = Alphabet.BASE32.value(text.charAt(i));
            seen |= value;
            low = low << 5 | value;
        }
        return seen < 0 ? null : new ParsedId(this, high << 1 | fourteenth >>> 4, low);
    }

    @Override
    Fault layoutFault(String text) {
        return new Fault(0, "exceeds 128 bits");
    }

    @Override
    String text(long high, long low) {
        byte[] out = new byte[LENGTH];
        encode(high, low, out);
        return Randomness.text(out, out.length);
    }

    @Override
    Instant time(long high, long low) {
        return Instant.ofEpochMilli(high >>> 16);
    }

    @Override
    String random(long high, long low) {
        return hex(high & 0xFFFF, low, 80);
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
        return MonotonicClock.LIFETIME;
    }

    @Override
    public IdScheme withClock(InstantSource clock) {
        return new UlidScheme(clock, random);
    }
}
