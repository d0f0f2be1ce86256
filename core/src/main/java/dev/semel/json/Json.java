package dev.semel.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A JSON text that has been checked, byte for byte as it was received. Immutable; two are equal if their bytes are.
 *
 * <p>A text must follow the grammar of RFC 8259, be valid UTF-8, and mean the same to every parser, as RFC 8785 requires: no object has two
 * members with one name, no string contains half of a surrogate pair, and no number with a point or an exponent is outside the range of a
 * double. It has at most {@value #MOST_BYTES} bytes and {@value #MOST_LEVELS} levels of arrays and objects. The time of the check is that of
 * sorting the members' names.
 */
public final class Json {

    /** The most bytes of a text. */
    public static final int MOST_BYTES = 16 << 20;

    /** The most arrays and objects around a value, the outermost included. */
    public static final int MOST_LEVELS = 1_000;

    private final byte[] bytes;

    private Json(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Checks a text.
     *
     * @throws MalformedJsonException if it is not JSON
     */
    public static Json of(String text) {
        byte[] bytes = encoded(text);
        canonical(bytes);
        return new Json(bytes);
    }

    /**
     * Checks a text in UTF-8.
     *
     * @throws MalformedJsonException if it is not JSON
     */
    public static Json of(byte[] utf8) {
        byte[] bytes = utf8.clone();
        canonical(bytes);
        return new Json(bytes);
    }

    /**
     * Wraps a text without checking it: one that was checked before and is read back from a store, or that a JSON library has written. Use
     * {@link #of(byte[])} for text from users.
     */
    public static Json ofChecked(byte[] utf8) {
        return new Json(utf8.clone());
    }

    /**
     * Returns the canonical form of RFC 8785: no white space, members in the order of their names' UTF-16 code units, as few escapes as
     * possible, and numbers as ECMAScript prints the nearest double. The canonical form is JSON, and its own canonical form unless it exceeds
     * the longest text.
     *
     * <p>It deviates from RFC 8785 in one point. The RFC prints {@code 9007199254740993} as {@code 9007199254740992}, since there is no such
     * double, and so identifies two different amounts or ids. Here an integer, written without point and exponent, keeps its digits if the
     * nearest double is another integer. So different integers always differ. Integers within ±2<sup>53</sup>, which RFC 8785 recommends, and
     * numbers with a point or an exponent are written as the RFC requires.
     *
     * @throws MalformedJsonException if the text is not JSON
     */
    public static byte[] canonical(byte[] utf8) {
        return new Canonicalizer(utf8).canonical();
    }

    /**
     * Returns the {@linkplain #canonical(byte[]) canonical form} of a text.
     *
     * @throws MalformedJsonException if the text is not JSON
     */
    public static byte[] canonical(String text) {
        return canonical(encoded(text));
    }

    private static byte[] encoded(String text) {
        if (text.length() > MOST_BYTES) { // a text has at least as many bytes as chars
            throw MalformedJsonException.at(new byte[0], 0, Canonicalizer.TOO_LONG);
        }
        byte[] bytes = text.getBytes(UTF_8);
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                boolean pair = i + 1 < text.length() && Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1));
                if (!pair) {
                    int offset = text.substring(0, i).getBytes(UTF_8).length;
                    throw MalformedJsonException.at(bytes, offset, Canonicalizer.HALF_A_PAIR);
                }
                i++;
            }
        }
        return bytes;
    }

    /** Returns the number of bytes of the text. */
    public int length() {
        return bytes.length;
    }

    /** Returns the text in UTF-8. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Returns the text as a string. */
    public String text() {
        return new String(bytes, UTF_8);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Json that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return text();
    }
}
