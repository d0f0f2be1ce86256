package dev.semel.bench;

import java.io.PrintStream;
import java.util.Locale;

/** Shows on standard error what is being measured, in one line that is overwritten. */
public final class Progress {

    private static final PrintStream OUT = System.err;

    private Progress() {}

    /** Replaces the current line. */
    public static void show(String format, Object... arguments) {
        OUT.printf("\r%-78s", String.format(Locale.ROOT, format, arguments));
    }

    /** Prints a line that is not overwritten. */
    public static void print(String line) {
        OUT.printf("\r%-78s%n", line);
    }
}
