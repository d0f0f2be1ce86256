package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine commandLine = Bench.commandLine();
        commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    @Test
    void valueThatIsTooSmall_isRejectedInOneLine() {
        assertThat(run("once", "--rounds", "0")).isEqualTo(2);
        assertThat(run("postgres", "--keys", "19")).isEqualTo(2);
        assertThat(run("rocksdb", "--rounds", "-1")).isEqualTo(2);
        assertThat(run("sweep", "--rate", "0")).isEqualTo(2);
        assertThat(run("http", "--soak", "-1")).isEqualTo(2);
        String see = " (see ./semel bench --help)";
        assertThat(err.toString().lines())
                .containsExactly(
                        "semel bench: --rounds has to be 1 or more, not 0" + see,
                        "semel bench: --keys has to be 20 or more, not 19" + see,
                        "semel bench: --rounds has to be 1 or more, not -1" + see,
                        "semel bench: --rate has to be 1 or more, not 0" + see,
                        "semel bench: --soak has to be 0 or more, not -1" + see);
    }

    @Test
    void help_namesOptionsAndDefaults() {
        assertThat(run("postgres", "-h")).isZero();
        assertThat(out.toString())
                .contains("--keys=N", "default: 10 million.", "--rounds=N", "default: 7.")
                .contains("--out=DIR", "(postgres.md)", "docs/benchmarks.");
    }
}
