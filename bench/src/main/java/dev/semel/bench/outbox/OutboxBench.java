package dev.semel.bench.outbox;

import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Output;
import dev.semel.bench.Page;
import dev.semel.bench.PostgresServer;
import dev.semel.bench.Program;
import dev.semel.bench.RoundsOption;
import dev.semel.bench.TempFolder;
import dev.semel.bench.http.ServerProcess;
import dev.semel.bench.http.Wrk;
import dev.semel.bench.outbox.OutboxRun.Size;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures how fast an outbox sends its entries to a server, and how fast entries are added to it. */
@Command(
        name = "outbox",
        description = {
            "Measures sending entries of an outbox next to wrk and transaction-outbox, and adding them next to bare"
                    + " RocksDB. Takes about 8 minutes. Requires wrk.",
            "For a short run: --entries 1000 --rounds 1"
        })
public final class OutboxBench implements Callable<Integer> {

    /** Usual settings of a server of this size; durability is the default: on. */
    private static final Map<String, String> SETTINGS =
            Map.of("max_connections", "300", "max_wal_size", "4GB", "checkpoint_timeout", "30min");

    private static final Duration LOAD = Duration.ofSeconds(5);
    private static final Duration SLICE = Duration.ofMillis(700);
    private static final int MOST_CONNECTIONS = 256;

    @Spec
    private CommandSpec spec;

    @Mixin
    private final RoundsOption rounds = new RoundsOption(5);

    @Option(
            names = "--entries",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Number of entries that are sent in each round. Default: ${DEFAULT-VALUE}.")
    private int entries;

    @Option(
            names = "--connections",
            paramLabel = "N",
            defaultValue = "64",
            description =
                    "Number of connections to the server, up to " + MOST_CONNECTIONS + ". Default: ${DEFAULT-VALUE}.")
    private int connections;

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() throws Exception {
        Program.requireAtLeast(1, "--entries", entries, spec);
        Program.requireAtLeast(1, "--connections", connections, spec);
        if (connections > MOST_CONNECTIONS) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--connections must be " + MOST_CONNECTIONS + " or less, not '" + connections + "'.");
        }
        Size size = new Size(entries, connections, new Effort(rounds.rounds(), SLICE));
        if (!Wrk.isInstalled()) {
            spec.commandLine()
                    .getErr()
                    .println("semel bench outbox: wrk is required and not installed (package wrk on Debian)");
            return ExitCode.SOFTWARE;
        }
        try (TempFolder temp = TempFolder.create("semel-bench-");
                ServerProcess server = ServerProcess.start(
                        Path.of(System.getProperty("semel.home", ".")),
                        temp.path().resolve("data"))) {
            Wrk wrk = new Wrk(temp.path(), connections);
            Target target = new Target(URI.create(server.url()), server.token("ann"));
            output.write(measure(
                    size,
                    target,
                    any -> wrk.load(any.endpoint().toString(), any.script(), LOAD)
                            .perSecond()));
        }
        return ExitCode.OK;
    }

    /** @param wrk loads a target, and returns the requests per second */
    static Page measure(Size size, Target target, ToDoubleFunction<Target> wrk)
            throws IOException, SQLException, InterruptedException {
        try (TempFolder temp = TempFolder.create("semel-bench-");
                PostgresServer database =
                        PostgresServer.start(Files.createDirectory(temp.path().resolve("postgres")), SETTINGS)) {
            return new OutboxReport(new OutboxRun(temp.path(), database, size, target, wrk).run()).page();
        }
    }
}
