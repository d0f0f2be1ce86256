package dev.semel.id;

import dev.semel.id.IdScheme.ParsedId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Crockford's base 32, in the strict form of ULIDs, TypeIDs and TSIDs: in one case, without hyphens, and each digit has one encoding. Digits
 * are looked up in pairs ({@link Alphabet#pairs()}).
 */
final class Base32 {

    /** The digits of 128 bits. The first has three of them. */
    static final int LENGTH_128 = 26;

    /** The digits of 64 bits. The first has four of them. */
    static final int LENGTH_64 = 13;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    private Base32() {}

    /** Encodes 128 bits in pairs of digits. The 14th digit has one bit of the high word and four of the low. */
    static void encode(short[] pairs, long high, long low, byte[] out) {
        LONGS.set(out, 0, four(pairs, high >>> 26));
        LONGS.set(
                out,
                8,
                pair(pairs, high >>> 16) << 48
                        | pair(pairs, high >>> 6) << 32
                        | pair(pairs, high << 4 | low >>> 60) << 16
                        | pair(pairs, low >>> 50));
        LONGS.set(out, 16, four(pairs, low >>> 10));
        SHORTS.set(out, 24, (short) pair(pairs, low));
    }

    /** Encodes 64 bits: one digit, and six pairs. */
    static void encode(short[] pairs, long bits, byte[] out) {
        out[0] = (byte) pair(pairs, bits >>> 60);
        LONGS.set(out, 1, four(pairs, bits >>> 20));
        INTS.set(out, 9, (int) (pair(pairs, bits >>> 10) << 16 | pair(pairs, bits)));
    }

    /** Returns the lowest 40 bits as eight ASCII characters. */
    private static long four(short[] pairs, long bits) {
        return pair(pairs, bits >>> 30) << 48
                | pair(pairs, bits >>> 20) << 32
                | pair(pairs, bits >>> 10) << 16
                | pair(pairs, bits);
    }

    /** Returns the lowest ten bits as two ASCII characters. */
    private static long pair(short[] pairs, long bits) {
        return pairs[(int) bits & 1023];
    }

    /** Decodes 128 bits; returns null if the text does not encode them. */
    static @Nullable ParsedId decode128(IdScheme scheme, Alphabet digits, String text) {
        if (text.length() != LENGTH_128) {
            return null;
        }
        int first = digits.value(text.charAt(0));
        int seen = first | 7 - first; // negative if the first character is no digit, or a digit above 7
        long high = first;
        for (int i = 1; i < 13; i++) {
            int value = digits.value(text.charAt(i));
            seen |= value;
            high = high << 5 | value;
        }
        int fourteenth = digits.value(text.charAt(13));
        seen |= fourteenth;
        long low = fourteenth; // its first bit, which belongs to the high word, is shifted out below
        for (int i = 14; i < LENGTH_128; i++) {
            int value = digits.value(text.charAt(i));
            seen |= value;
            low = low << 5 | value;
        }
        return seen < 0 ? null : new ParsedId(scheme, high << 1 | fourteenth >>> 4, low);
    }

    /** Decodes 64 bits, as the low word of an id; returns null if the text does not encode them. */
    static @Nullable ParsedId decode64(IdScheme scheme, Alphabet digits, String text) {
        if (text.length() != LENGTH_64) {
            return null;
        }
        int first = digits.value(text.charAt(0));
        int seen = first | 15 - first; // negative if the first character is no digit, or a digit above 15
        long bits = first;
        for (int i = 1; i < LENGTH_64; i++) {
            int value = digits.value(text.charAt(i));
            seen |= value;
            bits = bits << 5 | value;
        }
        return seen < 0 ? null : new ParsedId(scheme, 0, bits);
    }
}
