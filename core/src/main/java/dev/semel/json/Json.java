package dev.semel.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A JSON text that has been checked, spelled as it came. Immutable; equal if the bytes are.
 *
 * <p>What is checked: the grammar of RFC 8259 to the letter, strict UTF-8, and that the text means the same to every reader, as
 * RFC 8785 asks: no object has two members of one name, no string holds half of a surrogate pair, and no number with a point or an
 * exponent is beyond what a double holds. A text has at most {@value #MOST_BYTES} bytes and {@value #MOST_LEVELS} levels of arrays and objects; within
 * these limits, the work grows with the length of the text and no faster than sorting its names does.
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
     * A text.
     *
     * @throws MalformedJsonException if it is no JSON
     */
    public static Json of(String text) {
        byte[] bytes = encoded(text);
        canonical(bytes);
        return new Json(bytes);
    }

    /**
     * A text in UTF-8.
     *
     * @throws MalformedJsonException if it is no JSON
     */
    public static Json of(byte[] utf8) {
        byte[] bytes = utf8.clone();
        canonical(bytes);
        return new Json(bytes);
    }

    /**
     * A text that is known to be JSON, and is not checked: one that was checked before and is read back from a store, or one that a JSON
     * writer has made. Never for text from users: use {@link #of(byte[])}.
     */
    public static Json ofChecked(byte[] utf8) {
        return new Json(utf8.clone());
    }

    /**
     * The canonical spelling of RFC 8785: no space, members in the order of their names' UTF-16 code units, as few escapes as
     * possible, and numbers as ECMAScript prints the nearest double. It is JSON and, if it is no longer than a text may be, its own canonical spelling.
     *
     * <p>In one thing it is not RFC 8785. That prints {@code 9007199254740993} as {@code 9007199254740992}, since there is no such
     * double, and so takes two amounts or ids for the same. Here an integer, written without point and exponent, keeps its digits
     * wherever the double's would say another integer. So different integers always differ; as long as they are within ±2<sup>53</sup>,
     * as RFC 8785 advises, there is no difference to it. With a point or an exponent, a number is the nearest double, as it is there.
     *
     * @throws MalformedJsonException if it is no JSON
     */
    public static byte[] canonical(byte[] utf8) {
        return new Canonicalizer(utf8).canonical();
    }

    /**
     * As {@link #canonical(byte[])}, for a text that is at hand as a string.
     *
     * @throws MalformedJsonException if it is no JSON
     */
    public static byte[] canonical(String text) {
        return canonical(encoded(text));
    }

    private static byte[] encoded(String text) {
        if (text.length() > MOST_BYTES) { // and so has more bytes than that
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

    /** How many bytes the text has. */
    public int length() {
        return bytes.length;
    }

    /** The text in UTF-8. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The text. */
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
