package dev.semel.id;

import dev.semel.id.IdFormat.Fault;
import org.jspecify.annotations.Nullable;

/** Thrown for a malformed text. Names the text, what is wrong with it, where, and what was expected. */
public class MalformedException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;
    private static final int LONGEST_QUOTE = 64;

    private final String field;
    private final @Nullable String value;
    private final int at;
    private final String problem;
    private final String expected;

    /**
     * Makes the exception of a text.
     *
     * @param field the name of the text: a field of a request, a part of a key, or a scheme
     * @param value the text itself; null if it is missing
     * @param expected describes a valid text, in words that complete “expected …”
     */
    public MalformedException(String field, @Nullable String value, Fault fault, String expected) {
        super(field + " " + quote(value) + " " + fault.problem()
                + (fault.at() < 0 ? "" : " (at " + fault.at() + ")")
                + "; expected " + expected);
        this.field = field;
        this.value = value;
        this.at = fault.at();
        this.problem = fault.problem();
        this.expected = expected;
    }

    /** Returns the name of the text in its request. */
    public String field() {
        return field;
    }

    /** Returns the whole text; null if it is missing. */
    public @Nullable String value() {
        return value;
    }

    /** Returns the index of the offending character; -1 if the fault is not at one place. For a part of a key, the index in the key. */
    public int at() {
        return at;
    }

    /** Returns what is wrong, in words that follow the text. */
    public String problem() {
        return problem;
    }

    /** Describes a valid text, in words that complete “expected …”. */
    public String expected() {
        return expected;
    }

    /** Returns a text in quotes for an error: on one line, shortened if it is long, and without control characters. */
    public static String quote(@Nullable String text) {
        if (text == null) {
            return "(none)";
        }
        StringBuilder quoted = new StringBuilder("\"");
        int shown = Math.min(text.length(), LONGEST_QUOTE);
        for (int i = 0; i < shown; i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c >= ' ' && c <= '~') {
                quoted.append(c);
            } else {
                quoted.append(String.format("\\u%04x", (int) c));
            }
        }
        return quoted.append(shown < text.length() ? "\"…" : "\"").toString();
    }
}
