package dev.semel.testkit.crash;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a worker says of an operation that has come to its end.
 *
 * @param response what got the response; {@code -} where nobody knows
 */
record Acknowledgement(long number, Kind kind, How how, String response) {

    private static final String WORD = "done";

    /** How an operation came to its end. */
    enum How {
        EXECUTED,
        REPLAYED,
        UNKNOWN
    }

    String toLine() {
        return WORD + " " + number + " " + kind + " " + how.name().toLowerCase(Locale.ROOT) + " " + response + "\n";
    }

    /** Reads a line; null if it is about something else. */
    static @Nullable Acknowledgement ofLine(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != 5 || !words[0].equals(WORD)) {
            return null;
        }
        return new Acknowledgement(
                Long.parseLong(words[1]),
                Kind.valueOf(words[2]),
                How.valueOf(words[3].toUpperCase(Locale.ROOT)),
                words[4]);
    }
}
