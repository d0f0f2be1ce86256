package dev.semel.json;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The fingerprint of a payload: its SHA-256. Different payloads have different fingerprints. JSON texts with the same
 * {@linkplain Json#canonical(byte[]) canonical form} have the same fingerprint.
 */
public final class Fingerprint {

    private static final int HEX_DIGITS = 64;

    /** A prototype. To clone it is several times faster than to request a new instance from the security providers. */
    private static final MessageDigest UNUSED = sha256();

    private final long first;
    private final long second;
    private final long third;
    private final long fourth;

    private Fingerprint(byte[] hash) {
        ByteBuffer longs = ByteBuffer.wrap(hash);
        this.first = longs.getLong();
        this.second = longs.getLong();
        this.third = longs.getLong();
        this.fourth = longs.getLong();
    }

    /**
     * Returns the fingerprint of a JSON text in UTF-8: the hash of its canonical form.
     *
     * @throws MalformedJsonException if the text is not JSON
     */
    public static Fingerprint ofJson(byte[] utf8) {
        return ofBytes(Json.canonical(utf8));
    }

    /**
     * Returns the fingerprint of a JSON text: the hash of its canonical form.
     *
     * @throws MalformedJsonException if the text is not JSON
     */
    public static Fingerprint ofJson(String text) {
        return ofBytes(Json.canonical(text));
    }

    /** Returns the fingerprint of any bytes: their hash. */
    public static Fingerprint ofBytes(byte[] bytes) {
        return new Fingerprint(fresh().digest(bytes));
    }

    /**
     * Parses the {@linkplain #hex() hexadecimal form} of a fingerprint.
     *
     * @throws IllegalArgumentException if the text is not 64 lower-case hex digits
     */
    public static Fingerprint parse(String hex) {
        if (hex.length() != HEX_DIGITS) {
            throw new IllegalArgumentException("A fingerprint has 64 lower-case hex digits, not " + hex.length());
        }
        for (int i = 0; i < HEX_DIGITS; i++) {
            char c = hex.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                throw new IllegalArgumentException(
                        String.format("A fingerprint has lower-case hex digits, not U+%04X (at %d)", (int) c, i));
            }
        }
        return ofHash(HexFormat.of().parseHex(hex));
    }

    /**
     * Returns the fingerprint with a given hash.
     *
     * @throws IllegalArgumentException if the hash does not have 32 bytes
     */
    public static Fingerprint ofHash(byte[] hash) {
        if (hash.length != HEX_DIGITS / 2) {
            throw new IllegalArgumentException("A fingerprint has 32 bytes, not " + hash.length);
        }
        return new Fingerprint(hash);
    }

    /** Returns the 32 bytes of the hash. */
    public byte[] bytes() {
        return ByteBuffer.allocate(HEX_DIGITS / 2)
                .putLong(first)
                .putLong(second)
                .putLong(third)
                .putLong(fourth)
                .array();
    }

    private static MessageDigest fresh() {
        try {
            return (MessageDigest) UNUSED.clone();
        } catch (CloneNotSupportedException e) { // not every security provider supports it
            return sha256();
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    /** Returns the hash as 64 lower-case hex digits. */
    public String hex() {
        HexFormat format = HexFormat.of();
        return format.toHexDigits(first)
                + format.toHexDigits(second)
                + format.toHexDigits(third)
                + format.toHexDigits(fourth);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Fingerprint that
                && first == that.first
                && second == that.second
                && third == that.third
                && fourth == that.fourth;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(first);
    }

    @Override
    public String toString() {
        return hex();
    }
}
