package dev.semel.testkit.crash;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A line that a worker prints when an operation has completed.
 *
 * @param response the text of the response, or {@code -} if the outcome is unknown
 */
record Acknowledgement(long number, Kind kind, How how, String response) {

    private static final String WORD = "done";

    /** How the worker got the outcome. */
    enum How {
        EXECUTED,
        REPLAYED,
        UNKNOWN
    }

    String toLine() {
        return WORD + " " + number + " " + kind + " " + how.name().toLowerCase(Locale.ROOT) + " " + response + "\n";
    }

    /** Parses a line, or returns null if it is not an acknowledgement. */
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
