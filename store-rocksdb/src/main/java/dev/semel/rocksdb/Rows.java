package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.StoreException;
import java.util.Arrays;
import java.util.function.Function;

/**
 * The on-disk format of rows, version {@value #FORMAT}.
 *
 * <p>A key is its parts with a zero byte between them, which none of them can hold; so rows are in the order of their parts. A value
 * begins with the number of its layout, followed by its fields. A value that is a single number or time has no layout.
 */
final class Rows {

    /** The version of the whole format. It changes when an older release could no longer read what is written. */
    static final int FORMAT = 4;

    /** Above all keys: no text in UTF-8 begins with this byte. */
    static final byte[] ABOVE_ALL = {(byte) 0xFF};

    static final int LAYOUT = 1;
    static final char SEPARATOR = 0;

    private Rows() {}

    /** The first key above all that begin with a prefix, which ends with a separator. */
    static byte[] above(byte[] prefix) {
        byte[] next = prefix.clone();
        next[next.length - 1]++;
        return next;
    }

    /** The first key above another. */
    static byte[] next(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    static byte[] join(String first, String second) {
        return (first + SEPARATOR + second).getBytes(UTF_8);
    }

    static byte[] join(String first, String second, String third) {
        return (first + SEPARATOR + second + SEPARATOR + third).getBytes(UTF_8);
    }

    static byte[] join(String first, String second, String third, String fourth) {
        return (first + SEPARATOR + second + SEPARATOR + third + SEPARATOR + fourth).getBytes(UTF_8);
    }

    /** The parts of a key. */
    static String[] split(byte[] key) {
        return new String(key, UTF_8).split("\0", -1);
    }

    /** Reads a value that begins with its layout. */
    static <T> T read(String what, byte[] value, Function<ByteReader, T> reading) {
        try {
            ByteReader in = new ByteReader(value);
            int layout = in.readByte();
            if (layout != LAYOUT) {
                throw new IllegalStateException("Unknown layout " + layout);
            }
            return reading.apply(in);
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw StoreException.unavailable(
                    "Cannot read " + what + " from disk: it is damaged, or newer than this release", e);
        }
    }
}
