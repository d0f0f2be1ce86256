package dev.semel.json;

/**
 * The order of names by their UTF-16 code units, told from their canonical UTF-8. Bytes give the same order but for one thing: in
 * UTF-16, what takes four bytes comes before U+E000 to U+FFFF, which take three and begin with 0xEE or 0xEF.
 */
final class NameOrder {

    private NameOrder() {}

    /** Compares two names that have no escapes. */
    static int compare(byte[] text, int from, int to, int otherFrom, int otherTo) {
        int common = Math.min(to - from, otherTo - otherFrom);
        for (int i = 0; i < common; i++) {
            byte left = text[from + i];
            byte right = text[otherFrom + i];
            if (left != right) {
                return rank(left) - rank(right);
            }
        }
        return to - from - (otherTo - otherFrom);
    }

    /** Compares two names of which any may have escapes. */
    static int compareEscaped(byte[] text, int from, int to, int otherFrom, int otherTo) {
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
