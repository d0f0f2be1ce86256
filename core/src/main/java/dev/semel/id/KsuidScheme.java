package dev.semel.id;

import dev.semel.id.IdScheme.Lifetime;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The scheme {@code ksuid}: 32 bits of seconds since 2014-05-13 and 128 random bits, as one number of 27 base-62 digits.
 *
 * <p>The number has 160 bits. It is computed as three numbers of nine digits, each of which fits into a long: dividing three words by 62⁹ takes
 * two divisions of two words by one, and dividing the two words of the quotient takes a third.
 */
final class KsuidScheme extends IdScheme {

    private static final int LENGTH = 27;
    private static final int CHUNK_DIGITS = 9;
    private static final long EPOCH_SECOND = 1_400_000_000; // 2014-05-13T16:53:20Z
    private static final long LAST_SECOND = 0xFFFF_FFFFL;
    private static final Lifetime LIFETIME = new Lifetime.Between(
            Instant.ofEpochSecond(EPOCH_SECOND), Instant.ofEpochSecond(EPOCH_SECOND + LAST_SECOND));

    private static final long CHUNK = 13_537_086_546_263_552L; // 62⁹, between 2⁵³ and 2⁵⁴
    private static final long RECIPROCAL = 6_136_974_115_710_867_396L; // 2¹¹⁶ / 62⁹, rounded down
    private static final long PAIR = 62 * 62;
    private static final long PAIR_2 = PAIR * PAIR;
    private static final long PAIR_3 = PAIR_2 * PAIR;
    private static final long PAIR_4 = PAIR_3 * PAIR;

    private static final short[] PAIRS = Alphabet.BASE62.pairs();
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final InstantSource clock;
    private final Randomness random;

    KsuidScheme(InstantSource clock, Randomness random) {
        super("ksuid", Alphabet.BASE62.characters(), LENGTH, LENGTH);
        this.clock = Objects.requireNonNull(clock);
        this.random = random;
    }

    @Override
    public String mint() {
        return mintAt(Math.floorDiv(millis(name(), clock, LIFETIME), 1000L));
    }

    @Override
    public String mintAt(Instant time) {
        return mintAt(time.getEpochSecond());
    }

    private String mintAt(long epochSecond) {
        if (epochSecond < EPOCH_SECOND || epochSecond > EPOCH_SECOND + LAST_SECOND) {
            throw new ExhaustedException(name(), Instant.ofEpochSecond(epochSecond), LIFETIME);
        }
        try (Randomness.Slot slot = random.borrow()) {
            encode(epochSecond - EPOCH_SECOND, slot.nextLong(), slot.nextLong(), slot.scratch);
            return slot.text(LENGTH);
        }
    }

    private static void encode(long second, long high, long low, byte[] out) {
        long upper = quotient(second, high);
        long rest = high - upper * CHUNK;
        long lower = quotient(rest, low);
        long head = quotient(upper, lower);
        encode(head, out, 0);
        encode(lower - head * CHUNK, out, CHUNK_DIGITS);
        encode(low - lower * CHUNK, out, 2 * CHUNK_DIGITS);
    }

    /**
     * Returns {@code (high · 2⁶⁴ + low) / 62⁹}, of unsigned words. High must be less than 62⁹, so the quotient fits into a word.
     *
     * <p>The estimate takes the upper 63 bits of the dividend times those of the reciprocal. Both are rounded down, so it is at most six too low.
     * What remains of the dividend then is less than 7 · 62⁹, so its lower word is all of it and not negative.
     */
    static long quotient(long high, long low) {
        long dividend = high << 9 | low >>> 55;
        long estimate = Math.multiplyHigh(dividend, RECIPROCAL) << 3 | (dividend * RECIPROCAL) >>> 61;
        return estimate + (low - estimate * CHUNK) / CHUNK;
    }

    /** Encodes nine digits: one, and four pairs. Each quotient is computed from the chunk, so the divisions run in parallel. */
    private static void encode(long chunk, byte[] out, int at) {
        long chunk1 = chunk / PAIR;
        long chunk2 = chunk / PAIR_2;
        long chunk3 = chunk / PAIR_3;
        long chunk4 = chunk / PAIR_4;
        out[at] = Alphabet.BASE62.digit((int) chunk4);
        LONGS.set(
                out,
                at + 1,
                pair(chunk3 - chunk4 * PAIR) << 48
                        | pair(chunk2 - chunk3 * PAIR) << 32
                        | pair(chunk1 - chunk2 * PAIR) << 16
                        | pair(chunk - chunk1 * PAIR));
    }

    /** Returns two digits as two ASCII characters. */
    private static long pair(long value) {
        return PAIRS[(int) value];
    }

    @Override
    @Nullable ParsedId decode(String text) {
        if (text.length() != LENGTH) {
            return null;
        }
        long head = chunk(text, 0);
        long middle = chunk(text, CHUNK_DIGITS);
        long tail = chunk(text, 2 * CHUNK_DIGITS);
        if ((head | middle | tail) < 0) {
            return null;
        }
        // head · 62⁹ + middle, in two words
        long product = head * CHUNK;
        long lower = product + middle;
        long upper = Math.multiplyHigh(head, CHUNK) + (Long.compareUnsigned(lower, product) < 0 ? 1 : 0);
        // times 62⁹ + tail, in three
        long lowProduct = lower * CHUNK;
        long low = lowProduct + tail;
        long carried = unsignedMultiplyHigh(lower, CHUNK) + (Long.compareUnsigned(low, lowProduct) < 0 ? 1 : 0);
        long highProduct = upper * CHUNK;
        long high = highProduct + carried;
        long second = Math.multiplyHigh(upper, CHUNK) + (Long.compareUnsigned(high, highProduct) < 0 ? 1 : 0);
        return second <= LAST_SECOND ? new Parsed(this, second, high, low) : null;
    }

    /** Returns the number of nine digits, or a negative one if one of them is no digit. */
    private static long chunk(String text, int from) {
        int seen = 0;
        long number = 0;
        for (int i = from; i < from + CHUNK_DIGITS; i++) {
            int value = Alphabet.BASE62.value(text.charAt(i));
            seen |= value;
            number = number * 62 + value;
        }
        return seen < 0 ? -1 : number;
    }

    /** Multiplies an unsigned word by one that is not negative. */
    private static long unsignedMultiplyHigh(long word, long factor) {
        return Math.multiplyHigh(word, factor) + (word >> 63 & factor);
    }

    @Override
    Fault layoutFault(String text) {
        return new Fault(-1, "exceeds 160 bits");
    }

    @Override
    String text(ParsedId id) {
        byte[] out = new byte[LENGTH];
        encode(second(id), id.high(), id.low(), out);
        return Randomness.text(out, out.length);
    }

    @Override
    Instant time(ParsedId id) {
        return Instant.ofEpochSecond(EPOCH_SECOND + second(id));
    }

    @Override
    String random(ParsedId id) {
        return hex(id.high(), id.low(), 128);
    }

    @Override
    public String expected() {
        return "27 of 0-9A-Za-z, at most aWgEPTl1tmebfsQzFP4bxwgy80V";
    }

    @Override
    public String summary() {
        return "seconds since 2014 and 128 random bits, in base 62";
    }

    @Override
    public boolean isSortable() {
        return true;
    }

    @Override
    public int randomBits() {
        return 128;
    }

    @Override
    public Lifetime lifetime() {
        return LIFETIME;
    }

    @Override
    public IdScheme withClock(InstantSource clock) {
        return new KsuidScheme(clock, random);
    }

    private static long second(ParsedId id) {
        return ((Parsed) id).second;
    }

    /** An id with more bits than two words hold: the seconds are a third. */
    static final class Parsed extends ParsedId {

        private final long second;

        Parsed(IdScheme scheme, long second, long high, long low) {
            super(scheme, high, low);
            this.second = second;
        }

        @Override
        ParsedId in(IdScheme scheme) {
            return new Parsed(scheme, second, high(), low());
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return super.equals(other) && other instanceof Parsed that && second == that.second;
        }

        @Override
        public int hashCode() {
            return 31 * super.hashCode() + Long.hashCode(second);
        }
    }
}
