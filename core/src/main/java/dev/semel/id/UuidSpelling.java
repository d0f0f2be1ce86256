package dev.semel.id;

import dev.semel.id.IdFormat.Fault;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The ways to write the 128 bits of a UUID. */
enum UuidSpelling {
    /** {@code 550e8400-e29b-41d4-a716-446655440000}. */
    CANONICAL("0123456789abcdef-", 36, 14, 19, "36 characters: lower-case hex digits grouped 8-4-4-4-12", "as a UUID") {
        @Override
        void spell(long high, long low, byte[] out) {
            long second = hexDigits((int) high);
            long third = hexDigits((int) (low >>> 32));
            LONGS.set(out, 0, hexDigits((int) (high >>> 32)));
            out[8] = '-';
            INTS.set(out, 9, (int) (second >>> 32));
            out[13] = '-';
            INTS.set(out, 14, (int) second);
            out[18] = '-';
            INTS.set(out, 19, (int) (third >>> 32));
            out[23] = '-';
            INTS.set(out, 24, (int) third);
            LONGS.set(out, 28, hexDigits((int) low));
        }

        @Override
        @Nullable ParsedId read(IdScheme scheme, String text) {
            if (text.length() != 36
                    || text.charAt(8) != '-'
                    || text.charAt(13) != '-'
                    || text.charAt(18) != '-'
                    || text.charAt(23) != '-') {
                return null;
            }
            long first = number(Alphabet.HEX, 4, text, 0, 8);
            long second = number(Alphabet.HEX, 4, text, 9, 13);
            long third = number(Alphabet.HEX, 4, text, 14, 18);
            long fourth = number(Alphabet.HEX, 4, text, 19, 23);
            long fifth = number(Alphabet.HEX, 4, text, 24, 36);
            return (first | second | third | fourth | fifth) < 0
                    ? null
                    : new ParsedId(scheme, first << 32 | second << 16 | third, fourth << 48 | fifth);
        }

        @Override
        Fault unreadable(String text) {
            for (int i = 0; i < text.length(); i++) {
                boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
                if (dash != (text.charAt(i) == '-')) {
                    return new Fault(i, dash ? "lacks a '-'" : "has a '-'");
                }
            }
            throw new AssertionError(text);
        }
    },

    /** {@code 550e8400e29b41d4a716446655440000}. */
    SIMPLE("0123456789abcdef", 32, 12, 16, "32 lower-case hex digits", "as a UUID without hyphens") {
        @Override
        void spell(long high, long low, byte[] out) {
            LONGS.set(out, 0, hexDigits((int) (high >>> 32)));
            LONGS.set(out, 8, hexDigits((int) high));
            LONGS.set(out, 16, hexDigits((int) (low >>> 32)));
            LONGS.set(out, 24, hexDigits((int) low));
        }

        @Override
        @Nullable ParsedId read(IdScheme scheme, String text) {
            if (text.length() != 32) {
                return null;
            }
            long first = number(Alphabet.HEX, 4, text, 0, 8);
            long second = number(Alphabet.HEX, 4, text, 8, 16);
            long third = number(Alphabet.HEX, 4, text, 16, 24);
            long fourth = number(Alphabet.HEX, 4, text, 24, 32);
            return (first | second | third | fourth) < 0
                    ? null
                    : new ParsedId(scheme, first << 32 | second, third << 32 | fourth);
        }

        @Override
        Fault unreadable(String text) {
            throw new AssertionError(text);
        }
    },

    /** {@code VQ6EAOKbQdSnFkRmVUQAAA}: 21 digits of six bits and a last one of two. */
    BASE64URL(
            Alphabet.BASE64URL.characters(),
            22,
            8,
            10,
            "22 of A-Za-z0-9-_ that end in A, Q, g or w",
            "as a UUID in base64url") {
        @Override
        void spell(long high, long low, byte[] out) {
            long middle = high << 56 | low >>> 8;
            for (int i = 0; i < 10; i++) {
                out[i] = Alphabet.BASE64URL.digit((int) (high >>> (58 - 6 * i)) & 63);
                out[10 + i] = Alphabet.BASE64URL.digit((int) (middle >>> (54 - 6 * i)) & 63);
            }
            out[20] = Alphabet.BASE64URL.digit((int) low >>> 2 & 63);
            out[21] = Alphabet.BASE64URL.digit((int) (low & 3) << 4);
        }

        @Override
        @Nullable ParsedId read(IdScheme scheme, String text) {
            if (text.length() != 22) {
                return null;
            }
            long first = number(Alphabet.BASE64URL, 6, text, 0, 10);
            long middle = number(Alphabet.BASE64URL, 6, text, 10, 20);
            long last = number(Alphabet.BASE64URL, 6, text, 20, 22);
            return (first | middle | last) < 0 || (last & 15) != 0
                    ? null
                    : new ParsedId(scheme, first << 4 | middle >>> 56, middle << 8 | last >>> 4);
        }

        @Override
        Fault unreadable(String text) {
            return new Fault(21, "has a '" + text.charAt(21) + "', whose last four bits are not zero");
        }
    };

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    final String alphabet;
    final int length;
    final String expected;
    final String summary;

    private final int versionAt;
    private final int variantAt;

    UuidSpelling(String alphabet, int length, int versionAt, int variantAt, String expected, String summary) {
        this.alphabet = alphabet;
        this.length = length;
        this.versionAt = versionAt;
        this.variantAt = variantAt;
        this.expected = expected;
        this.summary = summary;
    }

    /** Writes 128 bits. */
    abstract void spell(long high, long low, byte[] out);

    /** Reads 128 bits, whatever UUID they are, or null where the text spells none. */
    abstract @Nullable ParsedId read(IdScheme scheme, String text);

    /** Why a text of the right length and alphabet cannot be read. */
    abstract Fault unreadable(String text);

    /** Why a text of the right length and alphabet is not a UUID of a given version. */
    Fault fault(IdScheme scheme, String text) {
        ParsedId id = read(scheme, text);
        if (id == null) {
            return unreadable(text);
        }
        if (id.low() >>> 62 != 2) {
            return new Fault(variantAt, "has another variant than RFC 9562's");
        }
        return new Fault(versionAt, "has version " + (id.high() >>> 12 & 15));
    }

    /** The number that digits spell, of at most 60 bits, or -1 where one of them is none. */
    private static long number(Alphabet alphabet, int bitsPerDigit, String text, int from, int to) {
        int seen = 0;
        long number = 0;
        for (int i = from; i < to; i++) {
            int value = alphabet.value(text.charAt(i));
            seen |= value;
            number = number << bitsPerDigit | value;
        }
        return seen < 0 ? -1 : number;
    }

    /** The eight hexadecimal digits of an int, as eight ASCII bytes: nibbles are spread to bytes, then made digits. */
    private static long hexDigits(int number) {
        long x = number & 0xFFFF_FFFFL;
        x = (x << 16 | x) & 0x0000_FFFF_0000_FFFFL;
        x = (x << 8 | x) & 0x00FF_00FF_00FF_00FFL;
        x = (x << 4 | x) & 0x0F0F_0F0F_0F0F_0F0FL;
        long letters = (x + 0x0606_0606_0606_0606L) >>> 4 & 0x0101_0101_0101_0101L;
        return x + 0x3030_3030_3030_3030L + letters * ('a' - '0' - 10);
    }
}
