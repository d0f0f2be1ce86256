package dev.semel.bench;

import dev.semel.bench.http.HttpBench;
import dev.semel.bench.ids.IdsBench;
import dev.semel.bench.kv.KvBench;
import dev.semel.bench.once.OnceBench;
import dev.semel.bench.outbox.OutboxBench;
import dev.semel.bench.postgres.PostgresBench;
import dev.semel.bench.rocksdb.RocksDbBench;
import dev.semel.bench.sweep.SweepBench;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code ./semel bench}. */
@Command(
        name = "semel bench",
        description = {
            "Runs a benchmark: measures Semel next to its peers, and writes a page with the results.",
            "./semel bench NAME --help prints the options of a benchmark."
        },
        subcommands = {
            IdsBench.class,
            OnceBench.class,
            RocksDbBench.class,
            PostgresBench.class,
            HttpBench.class,
            SweepBench.class,
            OutboxBench.class,
            KvBench.class
        },
        synopsisSubcommandLabel = "NAME")
public final class Bench extends Program implements Runnable {

    @Spec
    private CommandSpec spec;

    private Bench() {}

    /** Runs one benchmark and exits. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return commandLine(new Bench());
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "NAME is missing: one of "
                        + String.join(", ", spec.subcommands().keySet()) + ".");
    }
}
