package dev.semel.json;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What a payload is known by: its SHA-256. Payloads that differ have different ones. JSON texts that say the same have the same one,
 * however they are spelled; {@link Json#canonical(byte[])} says what is the same.
 */
public final class Fingerprint {

    private static final int HEX_DIGITS = 64;

    /** Never fed; to copy it takes a fraction of the time of asking the providers for another. */
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
     * That of a JSON text in UTF-8: of its canonical bytes.
     *
     * @throws MalformedJsonException if it is no JSON
     */
    public static Fingerprint ofJson(byte[] utf8) {
        return ofBytes(Json.canonical(utf8));
    }

    /**
     * That of a JSON text: of its canonical bytes.
     *
     * @throws MalformedJsonException if it is no JSON
     */
    public static Fingerprint ofJson(String text) {
        return ofBytes(Json.canonical(text));
    }

    /** That of anything, byte by byte. */
    public static Fingerprint ofBytes(byte[] bytes) {
        return new Fingerprint(fresh().digest(bytes));
    }

    /**
     * The one that is spelled so.
     *
     * @throws IllegalArgumentException if it is not 64 lower-case hex digits
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
     * The one with a given hash.
     *
     * @throws IllegalArgumentException if it has not 32 bytes
     */
    public static Fingerprint ofHash(byte[] hash) {
        if (hash.length != HEX_DIGITS / 2) {
            throw new IllegalArgumentException("A fingerprint has 32 bytes, not " + hash.length);
        }
        return new Fingerprint(hash);
    }

    /** The 32 bytes of the hash. */
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
        } catch (CloneNotSupportedException e) { // some provider's own
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

    /** The hash as 64 lower-case hex digits. */
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
