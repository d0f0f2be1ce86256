package dev.semel.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Checks a JSON text and writes its canonical form, in one pass: without a tree, without strings, and without recursion.
 *
 * <p>The output buffer always has room for as many bytes as are left to read, and {@link #SLACK} more. Only numbers can become longer
 * ({@code 1e20}); the buffer grows for them.
 */
final class Canonicalizer {

    static final String TOO_LONG = "longer than " + Json.MOST_BYTES + " bytes";
    static final String HALF_A_PAIR = "half of a surrogate pair";

    private static final int SLACK = 32;
    private static final int ARRAY = -1;
    private static final int LONGEST_QUOTE = 64;
    private static final byte[] TRUE = {'t', 'r', 'u', 'e'};
    private static final byte[] FALSE = {'f', 'a', 'l', 's', 'e'};
    private static final byte[] NULL = {'n', 'u', 'l', 'l'};
    private static final byte[] HEX = "0123456789abcdef".getBytes(UTF_8);

    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = ONES << 7;

    private final byte[] in;
    private int at;
    private byte[] out;
    private int end;

    /** The stack of open containers: objects by their number, and {@link #ARRAY} for arrays. */
    private int[] open = new int[16];

    private int depth;
    private final MemberOrder order = new MemberOrder();
    private final JsonNumber number;

    Canonicalizer(byte[] in) {
        this.in = in;
        if (in.length > Json.MOST_BYTES) {
            throw fail(0, TOO_LONG);
        }
        this.out = new byte[in.length + SLACK];
        this.number = new JsonNumber(in);
    }

    byte[] canonical() {
        if (in.length >= 3 && in[0] == (byte) 0xEF && in[1] == (byte) 0xBB && in[2] == (byte) 0xBF) {
            throw fail(0, "a byte order mark, which JSON does not have");
        }
        do {
            value();
        } while (!afterValue());
        return order.arranged(out, end);
    }

    /** Reads a scalar or an empty container, or the beginning of a container up to its first value. */
    private void value() {
        for (; ; ) {
            byte c = next("a value");
            switch (c) {
                case '{' -> {
                    enter(order.open(end));
                    if (next("a name or }") != '}') {
                        name();
                        continue;
                    }
                    leave();
                }
                case '[' -> {
                    enter(ARRAY);
                    if (next("a value or ]") != ']') {
                        continue;
                    }
                    leave();
                }
                case '"' -> string();
                case 't' -> literal(TRUE);
                case 'f' -> literal(FALSE);
                case 'n' -> literal(NULL);
                case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number();
                default -> throw unexpected("a value");
            }
            return;
        }
    }

    /** Reads on to the next value. Returns true at the end of the text. */
    private boolean afterValue() {
        while (depth > 0) {
            boolean array = open[depth - 1] == ARRAY;
            byte c = next(array ? "a comma or ]" : "a comma or }");
            if (c == ',') {
                put(c);
                byte first = next(array ? "a value" : "a name");
                if (first == (array ? ']' : '}')) {
                    throw fail(at, "a comma before " + (char) first);
                }
                if (!array) {
                    name();
                }
                return false;
            }
            if (c != (array ? ']' : '}')) {
                throw unexpected(array ? "a comma or ]" : "a comma or }");
            }
            leave();
        }
        skipSpace();
        if (at < in.length) {
            throw fail(at, "more text after the value, " + found(in, at));
        }
        return true;
    }

    private void enter(int container) {
        if (depth == Json.MOST_LEVELS) {
            throw fail(at, "more than " + Json.MOST_LEVELS + " levels");
        }
        if (depth == open.length) {
            open = Arrays.copyOf(open, depth * 2);
        }
        open[depth++] = container;
        put(in[at]);
    }

    private void leave() {
        int container = open[--depth];
        if (container != ARRAY) {
            int repeated = order.close(container, out, end);
            if (repeated >= 0) {
                throw duplicate(repeated);
            }
        }
        put(in[at]);
    }

    /** Reads the name of a member and the colon after it. */
    private void name() {
        int source = at;
        int quote = end;
        if (in[at] != '"') {
            throw unexpected("a name in quotes");
        }
        boolean inByteOrder = string();
        if (!order.add(open[depth - 1], out, quote, end - 1, inByteOrder, source)) {
            throw duplicate(source);
        }
        if (next("a colon") != ':') {
            throw unexpected("a colon");
        }
        put((byte) ':');
    }

    /** Writes a byte for the current one, and moves on. */
    private void put(byte b) {
        out[end++] = b;
        at++;
    }

    /** Skips white space, and returns the byte after it. */
    private byte next(String expected) {
        if (at < in.length && in[at] > ' ') {
            return in[at];
        }
        skipSpace();
        if (at == in.length) {
            throw unexpected(expected);
        }
        return in[at];
    }

    private void skipSpace() {
        while (at < in.length) {
            byte c = in[at];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
                return;
            }
            at++;
        }
    }

    private void literal(byte[] literal) {
        int length = literal.length;
        if (!Arrays.equals(in, at, Math.min(at + length, in.length), literal, 0, length)) {
            throw unexpected("a value");
        }
        System.arraycopy(literal, 0, out, end, length);
        at += length;
        end += length;
    }

    private void number() {
        int start = at;
        at = number.read(start);
        if (number.isPlain()) { // a plain number does not grow
            end = number.writePlain(out, end);
            return;
        }
        int room = Math.max(at - start, Decimal.LONGEST) + in.length - at + SLACK;
        if (out.length - end < room) {
            out = Arrays.copyOf(out, Math.max(end + room, out.length + (out.length >> 1)));
        }
        end = number.write(start, at, out, end);
    }

    /** Reads a string. Returns whether its bytes sort as its UTF-16 code units do; see {@link NameOrder}. */
    private boolean string() {
        int start = at;
        boolean inByteOrder = true;
        put((byte) '"');
        for (; ; ) {
            plain();
            if (at == in.length) {
                throw fail(at, "the text ends within the string that begins at byte " + start);
            }
            byte c = in[at];
            if (c == '"') {
                put(c);
                return inByteOrder;
            } else if (c == '\\') {
                escape();
                inByteOrder = false;
            } else if (c < 0) {
                inByteOrder &= in[at] < NameOrder.FIRST_OUT_OF_ORDER;
                character();
            } else {
                throw fail(at, String.format("control character 0x%02x in a string, which has to be escaped", c));
            }
        }
    }

    /** Copies ASCII characters that need no escape, eight bytes at a time while eight are left. */
    private void plain() {
        byte[] from = in;
        byte[] to = out;
        int i = at;
        int j = end;
        while (i <= from.length - 8) {
            long eight = (long) EIGHT.get(from, i);
            EIGHT.set(to, j, eight);
            long special = special(eight);
            if (special != 0) {
                int plain = Long.numberOfTrailingZeros(special) >> 3;
                at = i + plain;
                end = j + plain;
                return;
            }
            i += 8;
            j += 8;
        }
        while (i < from.length && from[i] >= ' ' && from[i] != '"' && from[i] != '\\') {
            to[j++] = from[i++];
        }
        at = i;
        end = j;
    }

    /**
     * Returns the high bit of the first byte that is a quote, a backslash, a control character or not ASCII. Higher bits may be set, too.
     */
    private static long special(long eight) {
        long quote = eight ^ '"' * ONES;
        long backslash = eight ^ '\\' * ONES;
        return (eight | (quote - ONES) | (backslash - ONES) | (eight - ' ' * ONES)) & HIGH_BITS;
    }

    private void escape() {
        if (at + 1 == in.length) {
            throw fail(at, "the text ends within an escape");
        }
        char unit = switch (in[at + 1]) {
            case '"', '\\', '/' -> (char) in[at + 1];
            case 'b' -> '\b';
            case 't' -> '\t';
            case 'n' -> '\n';
            case 'f' -> '\f';
            case 'r' -> '\r';
            case 'u' -> hexadecimal(at);
            default -> throw fail(at, "invalid escape: a backslash, then " + shown(in[at + 1]));
        };
        int length = in[at + 1] == 'u' ? 6 : 2;
        int c = unit;
        if (Character.isSurrogate(unit)) {
            boolean more = at + 7 < in.length && in[at + 6] == '\\' && in[at + 7] == 'u';
            char second = more ? hexadecimal(at + 6) : 0;
            if (!Character.isSurrogatePair(unit, second)) {
                throw fail(at, HALF_A_PAIR);
            }
            c = Character.toCodePoint(unit, second);
            length = 12;
        }
        at += length;
        write(c);
    }

    /** Returns the UTF-16 code unit of a {@code \\u} escape. */
    private char hexadecimal(int escape) {
        int unit = 0;
        for (int i = escape + 2; i < escape + 6; i++) {
            int digit = i < in.length && in[i] > 0 ? Character.digit(in[i], 16) : -1;
            if (digit < 0) {
                throw fail(i, "expected four hexadecimal digits after \\u, " + found(in, i));
            }
            unit = unit << 4 | digit;
        }
        return (char) unit;
    }

    /** Writes a character that was escaped in the text, and escapes it if the canonical form requires it. */
    private void write(int c) {
        int escape = switch (c) {
            case '"', '\\' -> c;
            case '\b' -> 'b';
            case '\t' -> 't';
            case '\n' -> 'n';
            case '\f' -> 'f';
            case '\r' -> 'r';
            default -> c < ' ' ? 'u' : 0;
        };
        if (escape == 0) {
            writeUtf8(c);
            return;
        }
        out[end++] = '\\';
        out[end++] = (byte) escape;
        if (escape == 'u') {
            out[end++] = '0';
            out[end++] = '0';
            out[end++] = HEX[c >> 4];
            out[end++] = HEX[c & 0xF];
        }
    }

    private void writeUtf8(int c) {
        if (c < 0x80) {
            out[end++] = (byte) c;
            return;
        }
        if (c < 0x800) {
            out[end++] = (byte) (0xC0 | c >> 6);
        } else {
            if (c < 0x10000) {
                out[end++] = (byte) (0xE0 | c >> 12);
            } else {
                out[end++] = (byte) (0xF0 | c >> 18);
                out[end++] = (byte) (0x80 | (c >> 12 & 0x3F));
            }
            out[end++] = (byte) (0x80 | (c >> 6 & 0x3F));
        }
        out[end++] = (byte) (0x80 | (c & 0x3F));
    }

    /** Checks and copies a character that is not ASCII. */
    private void character() {
        int start = at;
        int lead = in[start] & 0xFF;
        int length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
        if (lead < 0xC2 || lead > 0xF4) {
            throw fail(start, String.format("invalid UTF-8: byte 0x%02x cannot begin a character", lead));
        }
        for (int i = start + 1; i < start + length; i++) {
            if (i == in.length) {
                throw fail(start, "invalid UTF-8: the text ends within a character");
            }
            int least = i > start + 1 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
            int greatest = i > start + 1 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
            int b = in[i] & 0xFF;
            if (b < least || b > greatest) {
                throw fail(start, String.format("invalid UTF-8: byte 0x%02x cannot follow 0x%02x", b, in[i - 1]));
            }
        }
        for (int i = 0; i < length; i++) {
            put(in[at]);
        }
    }

    private MalformedJsonException duplicate(int source) {
        // the canonical form of the name has no control characters
        at = source;
        end = 0;
        string();
        String name = new String(out, 1, Math.min(end - 2, 4 * LONGEST_QUOTE), UTF_8);
        StringBuilder quoted = new StringBuilder("duplicate member \"");
        int shown = Math.min(name.length(), LONGEST_QUOTE);
        for (int i = 0; i < shown; i++) {
            char c = name.charAt(i);
            quoted.append(c >= ' ' && c <= '~' ? "" + c : String.format("\\u%04x", (int) c));
        }
        return fail(source, quoted.append(shown < name.length() ? "\"…" : "\"").toString());
    }

    private MalformedJsonException unexpected(String expected) {
        return fail(at, "expected " + expected + ", " + found(in, at));
    }

    /** Describes the byte at a place for an error. */
    static String found(byte[] text, int at) {
        return at == text.length ? "but the text ends" : "found " + shown(text[at]);
    }

    private static String shown(byte b) {
        return b > ' ' && b <= '~' && b != '"' ? "\"" + (char) b + "\"" : String.format("byte 0x%02x", b);
    }

    private MalformedJsonException fail(int place, String problem) {
        return MalformedJsonException.at(in, place, problem);
    }
}
