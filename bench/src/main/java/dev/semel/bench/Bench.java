package dev.semel.bench;

import dev.semel.bench.http.HttpBench;
import dev.semel.bench.ids.IdsBench;
import dev.semel.bench.once.OnceBench;
import dev.semel.bench.postgres.PostgresBench;
import dev.semel.bench.rocksdb.RocksDbBench;
import dev.semel.bench.sweep.SweepBench;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Runs benchmarks by name. */
@Command(
        name = "semel bench",
        description = "Measures Semel and its peers side by side, in one run.",
        subcommands = {
            IdsBench.class,
            OnceBench.class,
            RocksDbBench.class,
            PostgresBench.class,
            HttpBench.class,
            SweepBench.class
        },
        synopsisSubcommandLabel = "NAME")
public final class Bench implements Runnable {

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(names = "--help", usageHelp = true, scope = ScopeType.INHERIT, description = "Prints this help and exits.")
    private boolean help;

    @Spec
    private CommandSpec spec;

    private Bench() {}

    /** Runs one benchmark and exits. */
    public static void main(String[] arguments) {
        CommandLine commandLine = new CommandLine(new Bench());
        commandLine.setParameterExceptionHandler((e, args) -> {
            commandLine.getErr().println("semel bench: " + e.getMessage() + " (see ./semel bench --help)");
            return ExitCode.USAGE;
        });
        commandLine.setExecutionExceptionHandler((e, failed, result) -> {
            commandLine.getErr().println("semel bench: " + e);
            return ExitCode.SOFTWARE;
        });
        System.exit(commandLine.execute(arguments));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name a benchmark: ids, once, rocksdb, postgres, http, sweep");
    }
}
