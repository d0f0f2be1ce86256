package dev.semel.bench.sweep;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.bench.PostgresServer;
import dev.semel.bench.TempFolder;
import dev.semel.bench.sweep.SweepRun.Effort;
import dev.semel.bench.sweep.SweepRun.Figures;
import dev.semel.bench.sweep.SweepRun.Round;
import dev.semel.postgres.PostgresSettings;
import dev.semel.postgres.PostgresStore;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.store.Time;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What calls feel while a million keys are swept beside them. */
@Command(
        name = "sweep",
        description = "Sweeps expired keys beside calls that come at a steady rate, on both durable stores;"
                + " takes about an hour and a half, and about 3 GB in a temporary folder.")
public final class SweepBench implements Runnable {

    private static final PrintStream PROGRESS = System.err;
    private static final double MOST_MORE = 1.5;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "How many keys are swept; a million unless said otherwise.")
    private long keys;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "500",
            description = "How many calls come in a second; 500 unless said otherwise.")
    private int rate;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "${sys:semel.home:-.}/docs/benchmarks",
            description = "Where the page (sweep.md) goes; docs/benchmarks unless said otherwise.")
    private @Nullable Path out;

    @Override
    public void run() {
        if (keys < 1 || rate < 1) {
            throw new ParameterException(spec.commandLine(), "--keys and --rate have to be 1 or more");
        }
        Path folder = Objects.requireNonNull(out);
        report(folder, new Effort(keys, rate, Duration.ofSeconds(10)));
        PROGRESS.println("Wrote " + folder.resolve("sweep.md"));
    }

    /** Measures, and writes the page. */
    static void report(Path out, Effort effort) {
        try (TempFolder temp = TempFolder.create("semel-bench-")) {
            Figures embedded = rocksDb(temp.path(), effort);
            write(out, List.of(embedded), effort); // the rest takes so long that somebody may end it
            write(out, List.of(embedded, postgres(temp.path(), effort)), effort);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException("PostgreSQL cannot be used", e);
        }
    }

    private static void write(Path out, List<Figures> figures, Effort effort) throws IOException {
        Files.createDirectories(out);
        Files.writeString(out.resolve("sweep.md"), markdown(figures, effort));
    }

    private static Figures rocksDb(Path folder, Effort effort) {
        SweepRun run = new SweepRun("embedded store", effort);
        Path place = folder.resolve("rocksdb");
        RocksDbSettings settings = RocksDbSettings.DEFAULTS;
        try (RocksDbStore store = RocksDbStore.open(place, settings.withSynced(false), Time.system())) {
            run.fill(store);
        }
        try (RocksDbStore store = RocksDbStore.open(place, settings, Time.system())) {
            return run.run(store);
        }
    }

    private static Figures postgres(Path folder, Effort effort) throws IOException, InterruptedException, SQLException {
        SweepRun run = new SweepRun("PostgreSQL", effort);
        Path place = Files.createDirectories(folder.resolve("postgres"));
        try (PostgresServer server = PostgresServer.start(place, Map.of("max_wal_size", "4GB"))) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(server.newDatabase("swept"));
            try (HikariDataSource pool = new HikariDataSource(config);
                    PostgresStore store = PostgresStore.open(pool, PostgresSettings.DEFAULTS)) {
                run.fill(store);
                server.execute("swept", "vacuum (analyze)");
                return run.run(store);
            }
        }
    }

    private static String markdown(List<Figures> figures, Effort effort) {
        StringBuilder page = new StringBuilder("# Sweeps beside calls\n\nWritten by `./semel bench sweep`. JDK "
                + Runtime.version().feature() + ", "
                + Runtime.getRuntime().availableProcessors() + " processors. " + effort.rate()
                + " calls a second, each with a new key, a document and a further key, come at a steady rate; a call's time counts from when"
                + " it was to begin. The answers of expired keys are swept beside them in every other slice of "
                + effort.slice().toSeconds()
                + " s, and the ratio is that of slices that followed one another, in the median of"
                + " all such pairs but the first: so both meet the same machine. What a sweep leaves to the store to do later (RocksDB's"
                + " compaction, PostgreSQL's vacuum) falls into both. The aim: the slowest hundredth of calls takes less than half"
                + " as long again. Beside the median is told by how much three quarters of the pairs differ at most; and, for what"
                + " the machine does by itself, the same of slices without the sweep, each to the one before.\n\n"
                + "| | pairs | p50 alone | p50 beside | p99 alone | p99 beside | ratio of p99 | aim, 1.5 | three in four | alone, three in four | swept | in |\n"
                + "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
        for (Figures each : figures) {
            Round all = each.all();
            double ratio = each.ratio(0.99, 0.5);
            page.append(String.format(
                    Locale.ROOT,
                    "| %s | %d | %.2f ms | %.2f ms | %.2f ms | %.2f ms | %.2f | %s | %.2f | %s | %,d | %.1f s |%n",
                    each.name(),
                    each.rounds().size(),
                    all.quiet().quantile(0.5) / 1e6,
                    all.sweeping().quantile(0.5) / 1e6,
                    all.quiet().quantile(0.99) / 1e6,
                    all.sweeping().quantile(0.99) / 1e6,
                    ratio,
                    ratio < MOST_MORE ? "yes" : "**no**",
                    each.ratio(0.99, 0.75),
                    each.rounds().size() > 1 ? String.format(Locale.ROOT, "%.2f", each.noise(0.99, 0.75)) : "-",
                    each.swept(),
                    each.seconds()));
        }
        return page.toString();
    }
}
