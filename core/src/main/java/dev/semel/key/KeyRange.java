package dev.semel.key;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.id.MalformedException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A range of keys in byte order: from one key, inclusive, to another, exclusive. */
public final class KeyRange {

    private final byte[] from;
    private final byte @Nullable [] to;

    private KeyRange(byte[] from, byte @Nullable [] to) {
        this.from = from;
        this.to = to;
    }

    /**
     * Returns the range of exactly the keys that begin with a prefix.
     *
     * @throws IllegalArgumentException if the prefix contains half of a surrogate pair, which UTF-8 cannot encode
     */
    public static KeyRange ofPrefix(String prefix) {
        byte[] from = bytes(prefix);
        int end = from.length;
        while (end > 0 && from[end - 1] == (byte) 0xFF) {
            end--;
        }
        if (end == 0) {
            return new KeyRange(from, null);
        }
        byte[] to = Arrays.copyOf(from, end);
        to[end - 1]++;
        return new KeyRange(from, to);
    }

    /**
     * Returns the range of one key.
     *
     * @throws IllegalArgumentException if the key contains half of a surrogate pair, which UTF-8 cannot encode
     */
    public static KeyRange ofKey(String key) {
        byte[] from = bytes(key);
        return new KeyRange(from, Arrays.copyOf(from, from.length + 1));
    }

    private static byte[] bytes(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        if (!new String(bytes, UTF_8).equals(text)) {
            throw new IllegalArgumentException("Half of a surrogate pair in " + MalformedException.quote(text));
        }
        return bytes;
    }

    /** Returns the lowest key in the range. */
    public byte[] from() {
        return from.clone();
    }

    /** Returns the lowest key above the range; empty if the range has no upper bound. */
    public Optional<byte[]> to() {
        return Optional.ofNullable(to).map(byte[]::clone);
    }

    /** Whether a key, as bytes, is in the range. */
    public boolean contains(byte[] key) {
        return Arrays.compareUnsigned(from, key) <= 0 && (to == null || Arrays.compareUnsigned(key, to) < 0);
    }

    /**
     * Whether a key is in the range.
     *
     * @throws IllegalArgumentException if the key contains half of a surrogate pair, which UTF-8 cannot encode
     */
    public boolean contains(String key) {
        return contains(bytes(key));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KeyRange that && Arrays.equals(from, that.from) && Arrays.equals(to, that.to);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(from) + Arrays.hashCode(to);
    }

    @Override
    public String toString() {
        return "[" + new String(from, UTF_8) + ", " + (to == null ? "" : new String(to, UTF_8)) + ")";
    }
}
