package dev.semel.id;

import org.jspecify.annotations.Nullable;

/**
 * What a piece of text has to look like: an id of some scheme, a free word, a whole composed key.
 *
 * <p>Every format has one canonical spelling for each value, and {@link #isValid} and {@link #check} agree on every input.
 */
public interface IdFormat {

    /** What the format is called, in templates, on the command line and in errors. */
    String name();

    /** The fewest characters a valid text has. */
    int minLength();

    /** The most characters a valid text has; equal to {@link #minLength()} where the width is fixed. */
    int maxLength();

    /** Every character that a valid text may hold; for schemes, in the order of their values. All of them are ASCII. */
    String alphabet();

    /** What a valid text looks like, in words that complete “expected …”. */
    String expected();

    /** What is wrong with a text, or null where nothing is. Never throws, whatever the text. */
    @Nullable Fault fault(@Nullable String text);

    /** Whether a text is valid. Never throws, whatever the text. */
    default boolean isValid(@Nullable String text) {
        return fault(text) == null;
    }

    /**
     * Returns the text if it is valid.
     *
     * @param field what the text is called where it came from, for the error
     * @throws MalformedException naming the field, the text, what is wrong with it, where, and what was expected
     */
    default String check(String field, @Nullable String text) {
        Fault fault = fault(text);
        if (fault != null) {
            throw new MalformedException(field, text, fault, expected());
        }
        if (text == null) {
            throw new AssertionError("a missing text is always at fault");
        }
        return text;
    }

    /** Whether all valid texts have the same length. */
    default boolean isFixedWidth() {
        return minLength() == maxLength();
    }

    /**
     * What is wrong with a text.
     *
     * @param at index of the offending character, or -1 where it is not one place that is wrong
     * @param problem in words that follow the text: “has 16 characters”
     */
    record Fault(int at, String problem) {

        /** There is no text. */
        public static Fault missing() {
            return new Fault(-1, "is missing");
        }

        /** The text is too short or too long. */
        public static Fault ofLength(String text) {
            return new Fault(
                    -1,
                    switch (text.length()) {
                        case 0 -> "is empty";
                        case 1 -> "has 1 character";
                        default -> "has " + text.length() + " characters";
                    });
        }

        /** The text has a character that does not belong there. */
        public static Fault ofCharacter(String text, int at) {
            char c = text.charAt(at);
            return new Fault(at, c > ' ' && c <= '~' ? "has a '" + c + "'" : String.format("has a U+%04X", (int) c));
        }
    }
}
