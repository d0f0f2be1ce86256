package dev.semel.bench.postgres;

import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Payments;
import dev.semel.bench.PostgresServer;
import dev.semel.bench.TempFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the PostgreSQL store costs, next to plain SQL and to DBOS, and whether it stays as fast when it grows. */
@Command(
        name = "postgres",
        description =
                "Makes calls on the PostgreSQL store next to plain SQL and to DBOS, and on databases of rising size;"
                        + " takes about twenty minutes, and about 15 GB in a temporary folder.")
public final class PostgresBench implements Runnable {

    private static final Duration SLICE = Duration.ofMillis(700);
    private static final long SMALL_KEYS = 10_000;
    private static final PrintStream PROGRESS = System.err;

    /** What a server of this size is usually told; durability is as it comes: on. */
    static final Map<String, String> SETTINGS = new TreeMap<>(Map.of(
            "max_connections", "300",
            "shared_buffers", "1GB",
            "max_wal_size", "8GB",
            "checkpoint_timeout", "30min"));

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "10000000",
            description = "How many keys the largest database is filled with; 10 million unless said otherwise.")
    private long keys;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "7",
            description = "How often everything is measured in turn; 7 unless said otherwise.")
    private int rounds;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "${sys:semel.home:-.}/docs/benchmarks",
            description = "Where the page (postgres.md) and its plots go; docs/benchmarks unless said otherwise.")
    private @Nullable Path out;

    @Override
    public void run() {
        if (keys < Payments.OF_A_CUSTOMER || rounds < 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--keys has to be " + Payments.OF_A_CUSTOMER + " or more, and --rounds 1 or more");
        }
        Path folder = Objects.requireNonNull(out);
        report(folder, new Effort(rounds, SLICE), keys, SMALL_KEYS);
        PROGRESS.println("Wrote " + folder.resolve("postgres.md") + " and its plots");
    }

    /** Measures, and writes the page and its plots. */
    static void report(Path out, Effort effort, long keys, long smallKeys) {
        PostgresReport report;
        try (TempFolder temp = TempFolder.create("semel-bench-");
                PostgresServer server = PostgresServer.start(temp.path(), SETTINGS)) {
            report = new PostgresReport(new PostgresRun(server, effort, keys, smallKeys).run(), effort);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException("Could not measure: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while PostgreSQL was started", e);
        }
        try {
            Files.createDirectories(out);
            Files.writeString(out.resolve("postgres.md"), report.markdown());
            Files.writeString(out.resolve("postgres-callers.svg"), report.callersPlot());
            Files.writeString(out.resolve("postgres-keys.svg"), report.keysPlot());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
