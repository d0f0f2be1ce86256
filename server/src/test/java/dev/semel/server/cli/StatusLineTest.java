package dev.semel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StatusLineTest {

    private final StringWriter err = new StringWriter();

    private StatusLine line(boolean terminal, @Nullable Duration every) {
        return new StatusLine(new PrintWriter(err, true), terminal, every);
    }

    /** Shows a text until the line accepts it. */
    private static void show(StatusLine line, String text, StringWriter err) {
        int before = err.getBuffer().length();
        long start = System.nanoTime();
        while (err.getBuffer().length() == before) {
            assertThat(System.nanoTime() - start)
                    .isLessThan(Duration.ofMinutes(1).toNanos());
            line.show(() -> text);
        }
    }

    @Test
    void terminal_hasOneLineThatIsRewrittenAndRemoved() {
        StatusLine line = line(true, null);
        line.show(() -> "too early");
        assertThat(err.toString()).isEmpty();
        show(line, "1 entry", err);
        line.show(() -> "too early");
        show(line, "x".repeat(100) + "\n", err);
        line.clear();
        line.clear();
        assertThat(err.toString()).isEqualTo("\r\u001b[K1 entry\r\u001b[K" + "x".repeat(78) + "…\r\u001b[K");
    }

    @Test
    void file_getsLinesThatDiffer() {
        StatusLine line = line(false, Duration.ofNanos(1));
        line.show(() -> "a");
        line.show(() -> "a");
        line.show(() -> "b");
        line.clear();
        assertThat(err.toString()).isEqualTo("a" + System.lineSeparator() + "b" + System.lineSeparator());
        line(false, Duration.ofDays(1)).show(() -> "too early");
        line(false, null).show(() -> "never");
        assertThat(err.toString().lines()).hasSize(2);
    }
}
