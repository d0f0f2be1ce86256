package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class ProgramTest {

    @Command(name = "semel fail")
    private static final class Failing extends Program implements Runnable {
        @Override
        public void run() {
            throw new IllegalStateException("broken");
        }
    }

    private static String errors(int status, String... arguments) {
        CommandLine commandLine = Program.commandLine(new Failing());
        StringWriter errors = new StringWriter();
        commandLine.setErr(new PrintWriter(errors, true));
        assertThat(commandLine.execute(arguments)).isEqualTo(status);
        return errors.toString();
    }

    @Test
    void failure_isOneLine_andTheStackOnlyIfAskedFor() {
        assertThat(errors(1)).isEqualToIgnoringNewLines("semel fail: broken (--verbose prints the stack trace)");
        assertThat(errors(1, "--verbose")).contains("at " + Failing.class.getName() + ".run(");
        assertThat(errors(2, "--nothing"))
                .isEqualToIgnoringNewLines("semel fail: Unknown option '--nothing'. See './semel fail --help'.");
    }
}
