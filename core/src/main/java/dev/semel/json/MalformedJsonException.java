package dev.semel.json;

/** Text that is no JSON, or none that has a canonical spelling: says what is wrong with it, and where. */
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

    /** Something is wrong at a place in a text. */
    static MalformedJsonException at(byte[] text, int offset, String problem) {
        int line = 1;
        int column = 1;
        for (int i = 0; i < offset; i++) {
            if (text[i] == '\n') {
                line++;
                column = 1;
            } else if ((text[i] & 0xC0) != 0x80) { // the further bytes of a character do not count
                column++;
            }
        }
        return new MalformedJsonException(offset, line, column, problem);
    }

    /** Where the text goes wrong, in bytes of UTF-8 from 0. */
    public int offset() {
        return offset;
    }

    /** The line of that place, from 1. */
    public int line() {
        return line;
    }

    /** The column of that place, in Unicode characters from 1. */
    public int column() {
        return column;
    }

    /** What is wrong, in words. Whatever of the text they quote is printable ASCII and short. */
    public String problem() {
        return problem;
    }
}
