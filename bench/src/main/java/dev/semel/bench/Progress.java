package dev.semel.bench;

import java.io.PrintStream;
import java.util.Locale;

/** One line on standard error that shows what is being measured. */
public final class Progress {

    private static final PrintStream OUT = System.err;

    private Progress() {}

    /** Replaces the line. */
    public static void show(String format, Object... arguments) {
        OUT.printf("\r%-78s", String.format(Locale.ROOT, format, arguments));
    }

    /** Prints a line that stays. */
    public static void print(String line) {
        OUT.printf("\r%-78s%n", line);
    }
}
