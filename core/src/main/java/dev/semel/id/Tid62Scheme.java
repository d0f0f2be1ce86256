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
 * The scheme {@code tid62}: 32 bits of seconds since 2020 and 64 random bits, as one number of 17 base-62 digits.
 *
 * <p>The number has 96 bits and fits into no primitive type. It is computed as {@code head · 62¹⁰ + tail}: the first seven digits and the
 * last ten, each of which fits into a long. The share of the seconds in both changes once a second and is cached. The rest is a division of
 * 64 random bits by 62¹⁰, and table look-ups of two digits at a time.
 */
final class Tid62Scheme extends IdScheme {

    private static final int LENGTH = 17;
    private static final int HEAD_DIGITS = 7;
    private static final long EPOCH_SECOND = 1_577_836_800; // 2020-01-01T00:00:00Z
    private static final long LAST_SECOND = 0xFFFF_FFFFL;
    private static final Lifetime LIFETIME = new Lifetime.Between(
            Instant.ofEpochSecond(EPOCH_SECOND), Instant.ofEpochSecond(EPOCH_SECOND + LAST_SECOND));
    private static final long TAIL = 839_299_365_868_340_224L; // 62¹⁰
    private static final long PAIR = 62 * 62;
    private static final long PAIR_2 = PAIR * PAIR;
    private static final long PAIR_3 = PAIR_2 * PAIR;
    private static final long PAIR_4 = PAIR_3 * PAIR;

    private static final short[] PAIRS = Alphabet.BASE62.pairs();
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final InstantSource clock;
    private final Randomness random;
    private volatile Second latest = new Second(0);

    Tid62Scheme(InstantSource clock, Randomness random) {
        super("tid62", Alphabet.BASE62.characters(), LENGTH, LENGTH);
        this.clock = Objects.requireNonNull(clock);
        this.random = random;
    }

    @Override
    public String mint() {
        long millis = millis(name(), clock, LIFETIME);
        Second second = latest;
        if (!second.contains(millis)) {
            second = second(Math.floorDiv(millis, 1000) - EPOCH_SECOND);
            latest = second; // a benign race: a cached second is checked before it is used
        }
        return mint(second);
    }

    @Override
    public String mintAt(Instant time) {
        return mint(second(time.getEpochSecond() - EPOCH_SECOND));
    }

    private String mint(Second second) {
        try (Randomness.Slot slot = random.borrow()) {
            encode(second, slot.nextLong(), slot.scratch);
            return slot.text(LENGTH);
        }
    }

    private Second second(long number) {
        if (number < 0 || number > LAST_SECOND) {
            throw new ExhaustedException(name(), Instant.ofEpochSecond(number + EPOCH_SECOND), LIFETIME);
        }
        return new Second(number);
    }

    private static void encode(Second second, long random, byte[] out) {
        long quotient = (random >>> 1) / (TAIL >>> 1); // unsigned division: TAIL is even
        long sum = second.tail + (random - quotient * TAIL);
        long carry = (TAIL - 1 - sum) >>> 63; // 0 or 1 without a branch, which would often be mispredicted
        long tail = sum - carry * TAIL;
        long head = second.head + quotient + carry;
        long top = second.top;
        if (head >= PAIR) {
            head -= PAIR;
            top = second.nextTop;
        }
        // Each quotient is computed from the tail, not from the previous quotient, so the divisions run in parallel.
        long tail1 = tail / PAIR;
        long tail2 = tail / PAIR_2;
        long tail3 = tail / PAIR_3;
        long tail4 = tail / PAIR_4;
        long middle = pair(tail4);
        long last = pair(tail - tail1 * PAIR);
        LONGS.set(out, 0, top | pair(head) << 8 | middle >>> 8);
        LONGS.set(
                out,
                8,
                middle << 56
                        | pair(tail3 - tail4 * PAIR) << 40
                        | pair(tail2 - tail3 * PAIR) << 24
                        | pair(tail1 - tail2 * PAIR) << 8
                        | last >>> 8);
        out[16] = (byte) last;
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
        int seen = 0;
        long head = 0;
        for (int i = 0; i < HEAD_DIGITS; i++) {
            int value = Alphabet.BASE62.value(text.charAt(i));
            seen |= value;
            head = head * 62 + value;
        }
        long tail = 0;
        for (int i = HEAD_DIGITS; i < LENGTH; i++) {
            int value = Alphabet.BASE62.value(text.charAt(i));
            seen |= value;
            tail = tail * 62 + value;
        }
        if (seen < 0) {
            return null;
        }
        long product = head * TAIL;
        long low = product + tail;
        long high = Math.multiplyHigh(head, TAIL) + (Long.compareUnsigned(low, product) < 0 ? 1 : 0);
        return high <= LAST_SECOND ? new ParsedId(this, high, low) : null;
    }

    @Override
    Fault layoutFault(String text) {
        return new Fault(-1, "exceeds 96 bits");
    }

    @Override
    String text(ParsedId id) {
        byte[] out = new byte[LENGTH];
        encode(new Second(id.high()), id.low(), out);
        return Randomness.text(out, out.length);
    }

    @Override
    Instant time(ParsedId id) {
        return Instant.ofEpochSecond(EPOCH_SECOND + id.high());
    }

    @Override
    String random(ParsedId id) {
        return hex(0, id.low(), 64);
    }

    @Override
    public String expected() {
        return "17 of 0-9A-Za-z, at most 1f2SI9UJPXvb7vdJ1";
    }

    @Override
    public String summary() {
        return "seconds since 2020 and 64 random bits, in base 62";
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
        return LIFETIME;
    }

    @Override
    public IdScheme withClock(InstantSource clock) {
        return new Tid62Scheme(clock, random);
    }

    /**
     * A second since 2020, with {@code number · 2⁶⁴} as a tail and a head. The random bits add at most 22 to the head, so all but its last two
     * digits are encoded in advance: without and with a carry.
     */
    private static final class Second {

        /** 2⁶⁴ - 21 · 62¹⁰, the tail of 2⁶⁴. */
        private static final long REST = 821_457_390_474_406_912L;

        final long startMillis;
        final long tail;

        /** The last two digits of the head as a number. */
        final long head;

        /** The digits before them, as ASCII characters in the upper five bytes. */
        final long top;

        final long nextTop;

        Second(long number) {
            this.startMillis = (number + EPOCH_SECOND) * 1000;
            long head = 0;
            long tail = 0;
            for (int i = 31; i >= 0; i--) { // bit by bit, since the product would overflow
                long bit = number >>> i & 1;
                head = 2 * head + 21 * bit;
                tail = 2 * tail + REST * bit;
                head += tail / TAIL;
                tail %= TAIL;
            }
            this.tail = tail;
            this.head = head % PAIR;
            this.top = encoded(head / PAIR);
            this.nextTop = encoded(head / PAIR + 1);
        }

        boolean contains(long millis) {
            return millis >= startMillis && millis < startMillis + 1000;
        }

        private static long encoded(long fiveDigits) {
            return (Alphabet.BASE62.digit((int) (fiveDigits / PAIR_2)) & 0xFFL) << 56
                    | pair(fiveDigits / PAIR % PAIR) << 40
                    | pair(fiveDigits % PAIR) << 24;
        }
    }
}
