package dev.semel.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Compares names by their UTF-16 code units, given their canonical UTF-8. Bytes have the same order with two exceptions: escapes, and
 * characters of four bytes, which in UTF-16 sort before U+E000 to U+FFFF, whose three bytes begin with 0xEE or 0xEF.
 */
final class NameOrder {

    /** The least byte, signed, whose order may differ. */
    static final byte FIRST_OUT_OF_ORDER = (byte) 0xEE;

    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private NameOrder() {}

    /**
     * Returns the first eight bytes of a name, padded with zeros. At least eight bytes must follow in the text. Compared as unsigned numbers,
     * the results have the order of the bytes, since no name contains a zero.
     */
    static long beginning(byte[] text, int from, int to) {
        long eight = (long) EIGHT.get(text, from);
        int length = to - from;
        return length >= 8 ? eight : length == 0 ? 0 : eight & (-1L << (64 - 8 * length));
    }

    /** Compares two names, which may have escapes. */
    static int compare(byte[] text, int from, int to, int otherFrom, int otherTo) {
        int i = from;
        int j = otherFrom;
        while (i < to && j < otherTo) {
            int order = rank(unescaped(text, i)) - rank(unescaped(text, j));
            if (order != 0) {
                return order;
            }
            i += length(text, i);
            j += length(text, j);
        }
        return Boolean.compare(i < to, j < otherTo);
    }

    private static int rank(byte b) {
        int unsigned = b & 0xFF;
        return unsigned == 0xEE || unsigned == 0xEF ? unsigned + 0x10 : unsigned;
    }

    private static int length(byte[] text, int at) {
        return text[at] != '\\' ? 1 : text[at + 1] == 'u' ? 6 : 2;
    }

    private static byte unescaped(byte[] text, int at) {
        if (text[at] != '\\') {
            return text[at];
        }
        byte escape = text[at + 1];
        return switch (escape) {
            case 'b' -> '\b';
            case 't' -> '\t';
            case 'n' -> '\n';
            case 'f' -> '\f';
            case 'r' -> '\r';
            case 'u' -> (byte) (Character.digit(text[at + 4], 16) << 4 | Character.digit(text[at + 5], 16));
            default -> escape;
        };
    }
}
