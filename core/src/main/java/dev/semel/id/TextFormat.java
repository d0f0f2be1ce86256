package dev.semel.id;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Free texts without an inner structure: names chosen by people or by other systems. */
public final class TextFormat implements IdFormat {

    private static final String LETTERS_AND_DIGITS = Alphabet.BASE62.characters();

    /** A name of a collection, a user or an idempotency key: letters, digits, {@code _} and {@code -}. */
    public static final TextFormat TEXT = new TextFormat("text", LETTERS_AND_DIGITS + "_-", 255);

    /** Letters, digits and {@code _}. It cannot contain a {@code -}, which may separate it from what follows. */
    public static final TextFormat WORD = new TextFormat("word", LETTERS_AND_DIGITS + "_", 255);

    /** Up to 64 lower-case hexadecimal digits, such as ids of other systems. */
    public static final TextFormat HEX = new TextFormat("hex", Alphabet.HEX.characters(), 64);

    private final String name;
    private final Alphabet alphabet;
    private final int maxLength;

    private TextFormat(String name, String alphabet, int maxLength) {
        this.name = name;
        this.alphabet = new Alphabet(alphabet);
        this.maxLength = maxLength;
    }

    /** Returns all text formats. */
    public static List<TextFormat> all() {
        return List.of(TEXT, WORD, HEX);
    }

    /** Returns the text format with a given name. */
    public static Optional<TextFormat> named(String name) {
        return all().stream().filter(format -> format.name.equals(name)).findFirst();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int minLength() {
        return 1;
    }

    @Override
    public int maxLength() {
        return maxLength;
    }

    @Override
    public String alphabet() {
        return alphabet.characters();
    }

    @Override
    public String expected() {
        return "1 to " + maxLength + " of " + ranges(alphabet.characters());
    }

    @Override
    public @Nullable Fault fault(@Nullable String text) {
        if (text == null) {
            return Fault.missing();
        }
        if (text.isEmpty() || text.length() > maxLength) {
            return Fault.ofLength(text);
        }
        for (int i = 0; i < text.length(); i++) {
            if (alphabet.value(text.charAt(i)) < 0) {
                return Fault.ofCharacter(text, i);
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return name;
    }

    /** Returns an alphabet in a short form: a run of three or more characters as {@code a-z}. */
    static String ranges(String alphabet) {
        StringBuilder ranges = new StringBuilder();
        int start = 0;
        while (start < alphabet.length()) {
            int end = start;
            while (end + 1 < alphabet.length() && alphabet.charAt(end + 1) == alphabet.charAt(end) + 1) {
                end++;
            }
            if (end - start < 2) {
                ranges.append(alphabet, start, end + 1);
            } else {
                ranges.append(alphabet.charAt(start)).append('-').append(alphabet.charAt(end));
            }
            start = end + 1;
        }
        return ranges.toString();
    }
}
