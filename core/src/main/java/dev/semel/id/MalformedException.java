package dev.semel.id;

import dev.semel.id.IdFormat.Fault;
import org.jspecify.annotations.Nullable;

/** Text that is not what it has to be: says which, what is wrong with it, where, and what was expected. */
public final class MalformedException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;
    private static final int LONGEST_QUOTE = 64;

    private final String field;
    private final @Nullable String value;
    private final int at;
    private final String problem;
    private final String expected;

    /**
     * @param field what the text is called: a request's field, a key's part, a scheme
     * @param value the text itself
     * @param expected what would be right, in words that complete “expected …”
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

    /** What the text is called where it came from. */
    public String field() {
        return field;
    }

    /** The text, whole, or null where there was none. */
    public @Nullable String value() {
        return value;
    }

    /**
     * Index of the offending character, or -1 where it is not one place that is wrong. For a part of a key it is the place in the
     * whole key.
     */
    public int at() {
        return at;
    }

    /** What is wrong, in words that follow the text. */
    public String problem() {
        return problem;
    }

    /** What would be right, in words that complete “expected …”. */
    public String expected() {
        return expected;
    }

    /** A text as it can be shown: in quotes, on one line, shortened where it is long, nothing a terminal would act on. */
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
