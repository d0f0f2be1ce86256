package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
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
        assertThat(run("outbox", "--entries", "0")).isEqualTo(2);
        assertThat(run("outbox", "--connections", "257")).isEqualTo(2);
        String must = " must be a whole number of ";
        assertErrors(
                "once: --rounds" + must + "1 or more, not '0'.",
                "postgres: --keys" + must + "20 or more, not '19'.",
                "rocksdb: --rounds" + must + "1 or more, not '-1'.",
                "sweep: --rate" + must + "1 or more, not '0'.",
                "http: --soak" + must + "0 or more, not '-1'.",
                "outbox: --entries" + must + "1 or more, not '0'.",
                "outbox: --connections must be 256 or less, not '257'.");
    }

    private void assertErrors(String... errors) {
        assertThat(err.toString().lines())
                .containsExactlyElementsOf(Stream.of(errors)
                        .map(error -> {
                            String command = "semel bench" + (error.startsWith(":") ? "" : " ")
                                    + error.substring(0, error.indexOf(':'));
                            return command + error.substring(error.indexOf(':')) + " See './" + command + " --help'.";
                        })
                        .toList());
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void wrongUse_isDescribedInOneLine() {
        List.of(
                        "",
                        "idz",
                        "nothing",
                        "--out x",
                        "ids --round 3",
                        "ids --xyz=3",
                        "ids --rounds",
                        "ids --rounds x",
                        "ids --rounds 99999999999",
                        "ids --rounds 1 --rounds 2",
                        "ids --help=x",
                        "ids 3",
                        "sweep --keys many",
                        "http --soak 1h",
                        "once --out")
                .forEach(line -> assertThat(run(line.isEmpty() ? new String[0] : line.split(" ", -1)))
                        .as(line)
                        .isEqualTo(2));
        String names = "ids, once, rocksdb, postgres, http, sweep, outbox, kv";
        assertErrors(
                ": NAME is missing: one of " + names + ".",
                ": Unknown benchmark 'idz'. Did you mean 'ids'?",
                ": Unknown benchmark 'nothing'. Choose one of " + names + ".",
                ": Unknown option '--out'.",
                "ids: Unknown option '--round'. Did you mean '--rounds'?",
                "ids: Unknown option '--xyz'.",
                "ids: --rounds requires a value: a whole number.",
                "ids: --rounds must be a whole number, not 'x'.",
                "ids: --rounds must be a whole number, not '99999999999'.",
                "ids: --rounds is given twice. Give it once.",
                "ids: --help takes no value, but it is given 'x'.",
                "ids: Unexpected argument '3'. This command takes no arguments.",
                "sweep: --keys must be a whole number, not 'many'.",
                "http: --soak must be a whole number, not '1h'.",
                "once: --out requires a value: the name of a folder.");
    }

    @Test
    void help_isWhatTheLauncherPrints() throws Exception {
        assertThat(run("--help")).isZero();
        HelpFiles.assertSame("bench", out.toString());
        for (String benchmark : Bench.commandLine().getSubcommands().keySet()) {
            out.getBuffer().setLength(0);
            assertThat(run(benchmark, "-h")).isZero();
            HelpFiles.assertSame("bench-" + benchmark, out.toString());
            assertThat(out.toString().replaceAll("\\s+", " "))
                    .contains("Default: docs/benchmarks.")
                    .doesNotContain("default");
        }
    }
}
