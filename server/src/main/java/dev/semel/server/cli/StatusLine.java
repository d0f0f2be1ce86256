package dev.semel.server.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Shows on standard error how far a command is. On a terminal, a single line is rewritten several times a second. Elsewhere, a line is
 * added at intervals if it differs from the one before, or none at all.
 */
final class StatusLine {

    /** Set to true by the launcher if standard error is a terminal. */
    static final String TERMINAL = "semel.terminal";

    private static final long REWRITE_NANOS = Duration.ofMillis(200).toNanos();
    private static final int MOST_CHARACTERS = 79;
    private static final String ERASE = "\r\u001b[K";

    private final PrintWriter err;
    private final boolean terminal;
    private final @Nullable Long everyNanos;
    private long shownAt;
    private String shown = "";

    /** @param every the interval of lines where standard error is no terminal; null for no lines */
    StatusLine(PrintWriter err, boolean terminal, @Nullable Duration every) {
        this.err = err;
        this.terminal = terminal;
        this.everyNanos = every == null ? null : every.toNanos();
        this.shownAt = System.nanoTime();
    }

    /** Returns a line that is shown on a terminal only. */
    static StatusLine onTerminal(CommandSpec spec) {
        return new StatusLine(spec.commandLine().getErr(), Boolean.getBoolean(TERMINAL), null);
    }

    /** Returns a line that is rewritten on a terminal, and added at intervals elsewhere. */
    static StatusLine every(CommandSpec spec, Duration every) {
        return new StatusLine(spec.commandLine().getErr(), Boolean.getBoolean(TERMINAL), every);
    }

    /** Returns a line that is not shown. */
    static StatusLine none(CommandSpec spec) {
        return new StatusLine(spec.commandLine().getErr(), false, null);
    }

    /** Shows a text, unless the last one has been shown a moment ago. */
    void show(Supplier<String> text) {
        Long interval = terminal ? Long.valueOf(REWRITE_NANOS) : everyNanos;
        long now = System.nanoTime();
        if (interval == null || now - shownAt < interval) {
            return;
        }
        shownAt = now;
        String line = FailureText.onOneLine(text.get());
        if (terminal) {
            shown = line.length() <= MOST_CHARACTERS ? line : line.substring(0, MOST_CHARACTERS - 1) + "…";
            err.print(ERASE + shown);
            err.flush();
        } else if (!line.equals(shown)) {
            shown = line;
            err.println(line);
        }
    }

    /** Removes the line from a terminal, before something else is printed. */
    void clear() {
        if (terminal && !shown.isEmpty()) {
            err.print(ERASE);
            err.flush();
            shown = "";
        }
    }
}
