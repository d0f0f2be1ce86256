package dev.semel.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The order of names by their UTF-16 code units, told from their canonical UTF-8. Bytes give the same order but for two things:
 * escapes, and that in UTF-16, what takes four bytes comes before U+E000 to U+FFFF, which take three and begin with 0xEE or 0xEF.
 */
final class NameOrder {

    /** The least byte, signed, that may be out of order. */
    static final byte FIRST_OUT_OF_ORDER = (byte) 0xEE;

    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private NameOrder() {}

    /**
     * The first eight bytes of a name, with zeros where it is shorter; there are as many in the text. Unsigned, they are in order
     * as the bytes are, since no name has a zero.
     */
    static long beginning(byte[] text, int from, int to) {
        long eight = (long) EIGHT.get(text, from);
        int length = to - from;
        return length >= 8 ? eight : length == 0 ? 0 : eight & (-1L << (64 - 8 * length));
    }

    /** Compares any two names. */
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
