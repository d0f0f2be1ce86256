package dev.semel.id;

import dev.semel.id.IdFormat.Fault;
import dev.semel.id.IdScheme.ParsedId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The encodings of the 128 bits of a UUID as text. */
enum UuidEncoding {
    /** {@code 550e8400-e29b-41d4-a716-446655440000}. */
    CANONICAL("0123456789abcdef-", 36, 14, 19, "36 characters: lower-case hex digits grouped 8-4-4-4-12", "as a UUID") {
        /** Uses the JDK's encoder, which is faster than any outside of the JDK: it makes the string without a copy. */
        @Override
        String encode(long high, long low, byte[] scratch) {
            return new UUID(high, low).toString();
        }

        @Override
        @Nullable ParsedId read(IdScheme scheme, int version, String text) {
            boolean hyphens = text.length() == 36
                    && text.charAt(8) == '-'
                    && text.charAt(13) == '-'
                    && text.charAt(18) == '-'
                    && text.charAt(23) == '-';
            return hyphens ? readHex(scheme, version, text, 1) : null;
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
        String encode(long high, long low, byte[] out) {
            LONGS.set(out, 0, hexDigits((int) (high >>> 32)));
            LONGS.set(out, 8, hexDigits((int) high));
            LONGS.set(out, 16, hexDigits((int) (low >>> 32)));
            LONGS.set(out, 24, hexDigits((int) low));
            return Randomness.text(out, length);
        }

        @Override
        @Nullable ParsedId read(IdScheme scheme, int version, String text) {
            return text.length() == 32 ? readHex(scheme, version, text, 0) : null;
        }

        @Override
        Fault unreadable(String text) {
            throw new AssertionError(text);
        }
    },

    /** {@code VQ6EAOKbQdSnFkRmVUQAAA}: 21 digits of six bits, and a last one of two bits. */
    BASE64URL(
            Alphabet.BASE64URL.characters(),
            22,
            8,
            10,
            "22 of A-Za-z0-9-_ that end in A, Q, g or w",
            "as a UUID in base64url") {
        @Override
        String encode(long high, long low, byte[] out) {
            long middle = high << 56 | low >>> 8;
            for (int i = 0; i < 10; i++) {
                out[i] = Alphabet.BASE64URL.digit((int) (high >>> (58 - 6 * i)) & 63);
                out[10 + i] = Alphabet.BASE64URL.digit((int) (middle >>> (54 - 6 * i)) & 63);
            }
            out[20] = Alphabet.BASE64URL.digit((int) low >>> 2 & 63);
            out[21] = Alphabet.BASE64URL.digit((int) (low & 3) << 4);
            return Randomness.text(out, length);
        }

        @Override
        @Nullable ParsedId read(IdScheme scheme, int version, String text) {
            if (text.length() != 22) {
                return null;
            }
            long first = number(text, 0, 10);
            long middle = number(text, 10, 20);
            long last = number(text, 20, 22);
            long high = first << 4 | middle >>> 56;
            long low = middle << 8 | last >>> 4;
            return (first | middle | last) < 0 || (last & 15) != 0 || !isOf(version, (int) high, (int) (low >>> 48))
                    ? null
                    : new ParsedId(scheme, high, low);
        }

        /** Returns the number of up to ten digits of six bits, or -1 if one of them is no digit. */
        private static long number(String text, int from, int to) {
            int seen = 0;
            long number = 0;
            for (int i = from; i < to; i++) {
                int value = Alphabet.BASE64URL.value(text.charAt(i));
                seen |= value;
                number = number << 6 | value;
            }
            return seen < 0 ? -1 : number;
        }

        @Override
        Fault unreadable(String text) {
            return new Fault(21, "has a '" + text.charAt(21) + "', whose last four bits are not zero");
        }
    },

    /** {@code 2n1t201rmv87aae5j4csam8000}: Crockford's base 32 in lower case. */
    BASE32(
            Alphabet.BASE32_LOWER.characters(),
            Base32.LENGTH_128,
            10,
            13,
            "26 of 0-9a-z without i, l, o and u, at most 7zzzzzzzzzzzzzzzzzzzzzzzzz",
            "as a UUID in base 32") {
        @Override
        String encode(long high, long low, byte[] out) {
            Base32.encode(LOWER_PAIRS, high, low, out);
            return Randomness.text(out, length);
        }

        @Override
        @Nullable ParsedId read(IdScheme scheme, int version, String text) {
            ParsedId id = Base32.decode128(scheme, Alphabet.BASE32_LOWER, text);
            return id != null && isOf(version, (int) id.high(), (int) (id.low() >>> 48)) ? id : null;
        }

        @Override
        Fault unreadable(String text) {
            return new Fault(0, "exceeds 128 bits");
        }
    };

    /** Stands for any version. */
    static final int ANY = -1;

    private static final short[] LOWER_PAIRS = Alphabet.BASE32_LOWER.pairs();

    private static final byte[] HEX = Alphabet.HEX.values();
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    final String alphabet;
    final int length;
    final String expected;
    final String summary;

    private final int versionAt;
    private final int variantAt;

    UuidEncoding(String alphabet, int length, int versionAt, int variantAt, String expected, String summary) {
        this.alphabet = alphabet;
        this.length = length;
        this.versionAt = versionAt;
        this.variantAt = variantAt;
        this.expected = expected;
        this.summary = summary;
    }

    /** Encodes 128 bits. May use the scratch buffer, which is at least as long as the text. */
    abstract String encode(long high, long low, byte[] scratch);

    /** Decodes a UUID of a version, or of {@link #ANY} version; returns null if the text is no such UUID. */
    abstract @Nullable ParsedId read(IdScheme scheme, int version, String text);

    /** Returns why a text of the right length and alphabet cannot be decoded. */
    abstract Fault unreadable(String text);

    /** Returns why a text of the right length and alphabet is not a UUID of a given version. */
    Fault fault(IdScheme scheme, String text) {
        ParsedId id = read(scheme, ANY, text);
        if (id == null) {
            return unreadable(text);
        }
        if (id.low() >>> 62 != 2) {
            return new Fault(variantAt, "has another variant than RFC 9562's");
        }
        return new Fault(versionAt, "has version " + (id.high() >>> 12 & 15));
    }

    /** Whether the words with version and variant are right. */
    private static boolean isOf(int version, int fourth, int fifth) {
        return version == ANY || ((fourth >>> 12 & 15) == version && (fifth >>> 14 & 3) == 2);
    }

    /** Decodes 32 hexadecimal digits in groups of 8-4-4-4-12, with a given number of characters between the groups. */
    private static @Nullable ParsedId readHex(IdScheme scheme, int version, String text, int between) {
        int a = hex(text, 0);
        int b = hex(text, 4);
        int c = hex(text, 8 + between);
        int d = hex(text, 12 + 2 * between);
        int e = hex(text, 16 + 3 * between);
        int f = hex(text, 20 + 4 * between);
        int g = hex(text, 24 + 4 * between);
        int h = hex(text, 28 + 4 * between);
        return (a | b | c | d | e | f | g | h) < 0 || !isOf(version, d, e)
                ? null
                : new ParsedId(scheme, word(a, b, c, d), word(e, f, g, h));
    }

    private static long word(int a, int b, int c, int d) {
        return (long) a << 48 | (long) b << 32 | (long) c << 16 | d;
    }

    /** Returns the number of four hexadecimal digits, or a negative one if one of them is no digit. */
    private static int hex(String text, int at) {
        char a = text.charAt(at);
        char b = text.charAt(at + 1);
        char c = text.charAt(at + 2);
        char d = text.charAt(at + 3);
        return (a | b | c | d) > 127 ? -1 : HEX[a] << 12 | HEX[b] << 8 | HEX[c] << 4 | HEX[d];
    }

    /** Returns the eight hexadecimal digits of an int as ASCII bytes: spreads nibbles to bytes, then turns each into a digit. */
    private static long hexDigits(int number) {
        long x = number & 0xFFFF_FFFFL;
        x = (x << 16 | x) & 0x0000_FFFF_0000_FFFFL;
        x = (x << 8 | x) & 0x00FF_00FF_00FF_00FFL;
        x = (x << 4 | x) & 0x0F0F_0F0F_0F0F_0F0FL;
        long letters = (x + 0x0606_0606_0606_0606L) >>> 4 & 0x0101_0101_0101_0101L;
        return x + 0x3030_3030_3030_3030L + letters * ('a' - '0' - 10);
    }
}
