package dev.semel.id;

import org.jspecify.annotations.Nullable;

/**
 * The form of a text: the ids of a scheme, a free word, or a composed key.
 *
 * <p>Every format has one canonical encoding of each value, and {@link #isValid} and {@link #check} agree on every input.
 */
public interface IdFormat {

    /** Returns the name of the format in templates, on the command line and in errors. */
    String name();

    /** Returns the least number of characters of a valid text. */
    int minLength();

    /** Returns the greatest number of characters of a valid text; equal to {@link #minLength()} if the width is fixed. */
    int maxLength();

    /** Returns every character that a valid text may contain; for schemes, in the order of their values. All are ASCII. */
    String alphabet();

    /** Describes a valid text, in words that complete “expected …”. */
    String expected();

    /** Returns what is wrong with a text, or null if it is valid. Never throws. */
    @Nullable Fault fault(@Nullable String text);

    /** Whether a text is valid. Never throws. */
    default boolean isValid(@Nullable String text) {
        return fault(text) == null;
    }

    /**
     * Returns the text if it is valid.
     *
     * @param field the name of the text in its request, for the error
     * @throws MalformedException naming the field, the text, what is wrong with it, where, and what was expected
     */
    default String check(String field, @Nullable String text) {
        Fault fault = fault(text);
        if (fault != null) {
            throw new MalformedException(field, text, fault, expected());
        }
        if (text == null) {
            throw new AssertionError("a missing text is never valid");
        }
        return text;
    }

    /** Whether all valid texts have the same length. */
    default boolean isFixedWidth() {
        return minLength() == maxLength();
    }

    /**
     * A fault of a text.
     *
     * @param at index of the offending character; -1 if the fault is not at one place
     * @param problem what is wrong, in words that follow the text: “has 16 characters”
     */
    record Fault(int at, String problem) {

        /** Returns the fault that there is no text. */
        public static Fault missing() {
            return new Fault(-1, "is missing");
        }

        /** Returns the fault of a text that is too short or too long. */
        public static Fault ofLength(String text) {
            return new Fault(
                    -1,
                    switch (text.length()) {
                        case 0 -> "is empty";
                        case 1 -> "has 1 character";
                        default -> "has " + text.length() + " characters";
                    });
        }

        /** Returns the fault of a text with a character that is not allowed there. */
        public static Fault ofCharacter(String text, int at) {
            char c = text.charAt(at);
            return new Fault(at, c > ' ' && c <= '~' ? "has a '" + c + "'" : String.format("has a U+%04X", (int) c));
        }
    }
}
