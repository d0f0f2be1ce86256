package dev.semel.bench.sweep;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.bench.Aims;
import dev.semel.bench.Output;
import dev.semel.bench.Page;
import dev.semel.bench.PostgresServer;
import dev.semel.bench.Program;
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
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures how much a sweep of a million keys slows down calls. */
@Command(
        name = "sweep",
        description = {
            "Measures calls during a sweep of expired keys, on both durable stores. Takes about 90 minutes and 3 GB of disk space.",
            "For a short run: --keys 1000"
        })
public final class SweepBench implements Runnable {

    private static final double P99_AIM = 1.5;
    private static final String DATABASE = "swept";
    private static final int CONNECTIONS = 10;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Number of keys to sweep. Default: ${DEFAULT-VALUE}.")
    private long keys;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "500",
            description = "Number of calls per second. Default: ${DEFAULT-VALUE}.")
    private int rate;

    @Mixin
    private final Output output = new Output();

    @Override
    public void run() {
        Program.requireAtLeast(1, "--keys", keys, spec);
        Program.requireAtLeast(1, "--rate", rate, spec);
        measure(new Effort(keys, rate, Duration.ofSeconds(10)), output::write);
    }

    /** Measures, and writes the page after each store: the second takes so long that users may interrupt it. */
    static void measure(Effort effort, Consumer<Page> output) {
        try (TempFolder temp = TempFolder.create("semel-bench-")) {
            Figures embedded = rocksDb(temp.path(), effort);
            output.accept(page(List.of(embedded), effort));
            output.accept(page(List.of(embedded, postgres(temp.path(), effort)), effort));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException("PostgreSQL cannot be used", e);
        }
    }

    private static Page page(List<Figures> figures, Effort effort) {
        return new Page("sweep", markdown(figures, effort), Map.of());
    }

    private static Figures rocksDb(Path folder, Effort effort) {
        SweepRun run = new SweepRun("embedded store", effort);
        Path subfolder = folder.resolve("rocksdb");
        RocksDbSettings settings = RocksDbSettings.DEFAULTS;
        try (RocksDbStore store = RocksDbStore.open(subfolder, settings.withSynced(false), Time.system())) {
            run.fill(store);
        }
        try (RocksDbStore store = RocksDbStore.open(subfolder, settings, Time.system())) {
            return run.run(store);
        }
    }

    private static Figures postgres(Path folder, Effort effort) throws IOException, InterruptedException, SQLException {
        SweepRun run = new SweepRun("PostgreSQL", effort);
        Path subfolder = Files.createDirectories(folder.resolve("postgres"));
        try (PostgresServer server = PostgresServer.start(subfolder, Map.of("max_wal_size", "4GB"))) {
            server.newDatabase(DATABASE);
            try (HikariDataSource pool = server.pool(DATABASE, CONNECTIONS);
                    PostgresStore store = PostgresStore.open(pool, PostgresSettings.DEFAULTS)) {
                run.fill(store);
                server.execute(DATABASE, "vacuum (analyze)");
                return run.run(store);
            }
        }
    }

    private static String markdown(List<Figures> figures, Effort effort) {
        StringBuilder page =
                new StringBuilder("# Benchmark: calls during a sweep\n\nThis page shows how much slower calls are while"
                        + " expired keys are deleted. Written by `./semel bench sweep` on JDK "
                        + Runtime.version().feature() + " and "
                        + Runtime.getRuntime().availableProcessors()
                        + " processors. [How to read these pages](README.md).\n\n"
                        + effort.rate()
                        + " calls per second arrive at a steady rate. Each has a new key and writes a document and an index entry. The"
                        + " latency of a call counts from the time at which it was due.\n\n"
                        + "- A sweep of expired keys runs in every other *slice* of "
                        + effort.slice().toSeconds()
                        + " s. Each slice with the sweep forms a *pair* with the slice before it, without the sweep.\n"
                        + "- The *ratio* is the p99 latency with the sweep, divided by that without. Median and third quartile are over"
                        + " all pairs but the first.\n"
                        + "- The *noise* is the third quartile of the same ratio between slices without the sweep.\n"
                        + "- Later work that a sweep causes (compaction of RocksDB, vacuum of PostgreSQL) falls into both kinds of"
                        + " slices.\n\n"
                        + "| | pairs | p50 without | p50 with | p99 without | p99 with | ratio of p99, median | third quartile | noise | keys swept | duration |\n"
                        + "|---|---|---|---|---|---|---|---|---|---|---|\n");
        for (Figures each : figures) {
            Round all = each.all();
            page.append(String.format(
                    Locale.ROOT,
                    "| %s | %d | %.2f ms | %.2f ms | %.2f ms | %.2f ms | %s | %.2f × | %s | %,d | %,.0f s |%n",
                    each.name(),
                    each.rounds().size(),
                    all.quiet().quantile(0.5) / 1e6,
                    all.sweeping().quantile(0.5) / 1e6,
                    all.quiet().quantile(0.99) / 1e6,
                    all.sweeping().quantile(0.99) / 1e6,
                    Aims.maximum(each.ratio(0.99, 0.5), " ×", P99_AIM),
                    each.ratio(0.99, 0.75),
                    each.rounds().size() > 1 ? String.format(Locale.ROOT, "%.2f ×", each.noise(0.99, 0.75)) : "-",
                    each.swept(),
                    each.seconds()));
        }
        return page.toString();
    }
}
