package dev.semel.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.bench.HelpFiles;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command around a crash run; the run itself is tested where the stores are. */
class TortureTest {

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine commandLine = Torture.commandLine();
        commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    @Test
    void twoKills_endWithAVerdict() {
        Path stores = folder.resolve("stores");
        int status = run("--store", "rocksdb", "--kills", "2", "--seed", "1", "--folder", stores.toString());

        assertThat(err.toString()).contains("\r[ 50 %] 1 of 2 kills, ");
        assertThat(out.toString())
                .startsWith("rocksdb, seed 1: 2 kills (")
                .endsWith(": everything acknowledged is there exactly once" + System.lineSeparator());
        assertThat(status).isZero();
        assertThat(stores.resolve("round-1/store")).isDirectory();
    }

    /** The seed is one whose kills aim at workers, a connection, the process behind one, and the server. */
    @Test
    void killsOfPostgresAndOfTwoWorkers_loseNothing() throws Exception {
        Path stores = folder.resolve("stores");
        int status = run("--store", "postgres", "--kills", "6", "--seed", "24", "--folder", stores.toString());

        assertThat(err.toString()).contains("\r[ 50 %] 3 of 6 kills, ");
        assertThat(out.toString())
                .startsWith("postgres, seed 24: 6 kills (")
                .endsWith(": everything acknowledged is there exactly once" + System.lineSeparator());
        assertThat(status).isZero();
        // which other faults were injected depends on the moment
        assertThat(Files.readString(stores.resolve("postgres/log"))).contains("database system was interrupted");
        assertThat(stores.resolve("round-1/worker-2")).isDirectory();
    }

    @Test
    void wrongUse_printsOneLine() throws Exception {
        Files.createFile(folder.resolve("something"));

        assertThat(run("--store", "stone")).isEqualTo(2);
        assertThat(run("--store", "rocksdb", "--kills", "0")).isEqualTo(2);
        assertThat(run("--store", "rocksdb", "--kills", "many")).isEqualTo(2);
        assertThat(run("--store", "rocksdb", "--folder", folder.toString())).isEqualTo(2);
        assertThat(run()).isEqualTo(2);
        assertThat(run("--store")).isEqualTo(2);
        assertThat(run("--stroe", "rocksdb")).isEqualTo(2);
        assertThat(run("--store", "rocksdb", "--seed", "1", "--seed", "2")).isEqualTo(2);
        assertThat(run("--store", "rocksdb", "--verbose=loud")).isEqualTo(2);
        assertThat(run("--store", "rocksdb", "postgres")).isEqualTo(2);
        String see = " See './semel torture --help'.";
        assertThat(err.toString().lines())
                .containsExactly(
                        "semel torture: --store must be postgres or rocksdb, not 'stone'." + see,
                        "semel torture: --kills must be a whole number of 1 or more, not '0'." + see,
                        "semel torture: --kills must be a whole number, not 'many'." + see,
                        "semel torture: --folder must be empty or not exist, but '" + folder + "' has files." + see,
                        "semel torture: --store is required: postgres or rocksdb." + see,
                        "semel torture: --store is required: postgres or rocksdb." + see,
                        "semel torture: Unknown option '--stroe'. Did you mean '--store'?" + see,
                        "semel torture: --seed is given twice. Give it once." + see,
                        "semel torture: --verbose takes no value, but it is given 'loud'." + see,
                        "semel torture: Unexpected argument 'postgres'. This command takes no arguments." + see);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void help_isWhatTheLauncherPrints() throws Exception {
        assertThat(run("--help")).isZero();
        HelpFiles.assertSame("torture", out.toString());
    }
}
