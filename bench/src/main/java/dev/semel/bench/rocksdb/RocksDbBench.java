package dev.semel.bench.rocksdb;

import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Payments;
import dev.semel.bench.TempFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the embedded store costs, next to bare RocksDB, and whether it stays as fast when it grows. */
@Command(
        name = "rocksdb",
        description =
                "Makes calls on the embedded store next to bare RocksDB, and on stores of rising size; takes about"
                        + " fifteen minutes, and about 5 GB in a temporary folder.")
public final class RocksDbBench implements Runnable {

    private static final Duration SLICE = Duration.ofMillis(700);
    private static final long SMALL_KEYS = 10_000;
    private static final PrintStream PROGRESS = System.err;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "10000000",
            description = "How many keys the largest store is filled with; 10 million unless said otherwise.")
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
            description = "Where the page (rocksdb.md) and its plots go; docs/benchmarks unless said otherwise.")
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
        PROGRESS.println("Wrote " + folder.resolve("rocksdb.md") + " and its plots");
    }

    /** Measures, and writes the page and its plots. */
    static void report(Path out, Effort effort, long keys, long smallKeys) {
        RocksDbReport report;
        try (TempFolder temp = TempFolder.create("semel-bench-")) {
            report = new RocksDbReport(new RocksDbRun(temp.path(), effort, keys, smallKeys).run(), effort);
        }
        try {
            Files.createDirectories(out);
            Files.writeString(out.resolve("rocksdb.md"), report.markdown());
            Files.writeString(out.resolve("rocksdb-callers.svg"), report.callersPlot());
            Files.writeString(out.resolve("rocksdb-keys.svg"), report.keysPlot());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
