package dev.semel.bench.postgres;

import dev.semel.bench.ContestOptions;
import dev.semel.bench.Output;
import dev.semel.bench.Page;
import dev.semel.bench.PostgresServer;
import dev.semel.bench.Scale;
import dev.semel.bench.TempFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What the PostgreSQL store costs beside plain SQL and DBOS, and whether it stays as fast when it grows. */
@Command(
        name = "postgres",
        description = {
            "Measures the PostgreSQL store next to plain SQL and DBOS. Takes about 20 minutes and 15 GB of disk space.",
            "For a short run: --keys 20000 --rounds 1"
        })
public final class PostgresBench implements Runnable {

    /** Usual settings of a server of this size; durability is the default: on. */
    static final Map<String, String> SETTINGS = new TreeMap<>(Map.of(
            "max_connections", "300",
            "shared_buffers", "1GB",
            "max_wal_size", "8GB",
            "checkpoint_timeout", "30min"));

    @Mixin
    private final ContestOptions options = new ContestOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public void run() {
        output.write(measure(options.scale()));
    }

    static Page measure(Scale scale) {
        try (TempFolder temp = TempFolder.create("semel-bench-");
                PostgresServer server = PostgresServer.start(temp.path(), SETTINGS)) {
            return new PostgresReport(new PostgresRun(server, scale).run(), scale.effort()).page();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException("Could not measure: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while PostgreSQL was started", e);
        }
    }
}
