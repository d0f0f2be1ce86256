package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.StoreException;
import java.util.Arrays;
import java.util.function.Function;

/**
 * The on-disk format of rows, version {@value #FORMAT}.
 *
 * <p>A key consists of its parts, separated by zero bytes. No part can contain a zero byte, so rows sort by their parts. A value starts
 * with the number of its layout, followed by its fields. A value that is a single number or time has no layout number.
 */
final class Rows {

    /** The version of the format. It changes if older releases cannot read new data. */
    static final int FORMAT = 5;

    /** Greater than every key: no text in UTF-8 starts with this byte. */
    static final byte[] ABOVE_ALL = {(byte) 0xFF};

    static final int LAYOUT = 1;
    static final char SEPARATOR = 0;

    private Rows() {}

    /** Returns the first key after all keys with a prefix. The prefix must not end with the byte 0xFF. */
    static byte[] above(byte[] prefix) {
        byte[] next = prefix.clone();
        next[next.length - 1]++;
        return next;
    }

    /** Returns the first key after another. */
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

    /** Returns the parts of a key. */
    static String[] split(byte[] key) {
        return new String(key, UTF_8).split("\0", -1);
    }

    /** Decodes a value that starts with its layout. */
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
                    "Cannot read " + what + " from disk: it is damaged, or was written by a newer release", e);
        }
    }
}
