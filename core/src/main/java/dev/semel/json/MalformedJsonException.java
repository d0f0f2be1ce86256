package dev.semel.json;

/** Thrown for a text that is not JSON, or has no canonical form. Names what is wrong, and where. */
public final class MalformedJsonException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final int offset;
    private final int line;
    private final int column;
    private final String problem;

    private MalformedJsonException(int offset, int line, int column, String problem) {
        super("line " + line + ", column " + column + " (byte " + offset + "): " + problem);
        this.offset = offset;
        this.line = line;
        this.column = column;
        this.problem = problem;
    }

    /** Returns the exception of a problem at a place in a text. */
    static MalformedJsonException at(byte[] text, int offset, String problem) {
        int line = 1;
        int column = 1;
        for (int i = 0; i < offset; i++) {
            if (text[i] == '\n') {
                line++;
                column = 1;
            } else if ((text[i] & 0xC0) != 0x80) { // continuation bytes of UTF-8 do not count
                column++;
            }
        }
        return new MalformedJsonException(offset, line, column, problem);
    }

    /** Returns the place of the problem in bytes of UTF-8, from 0. */
    public int offset() {
        return offset;
    }

    /** Returns the line of the problem, from 1. */
    public int line() {
        return line;
    }

    /** Returns the column of the problem in Unicode characters, from 1. */
    public int column() {
        return column;
    }

    /** Returns what is wrong, in words. Quotes from the text are short and in printable ASCII. */
    public String problem() {
        return problem;
    }
}
