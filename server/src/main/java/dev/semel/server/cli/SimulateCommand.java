package dev.semel.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "simulate",
        description = "Simulates a part of Semel in virtual time.",
        subcommands = {SimulateKvCommand.class, HelpCommand.class},
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example: ./semel simulate kv --writers 8 --settle 100ms"})
final class SimulateCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new UsageException(spec, "COMMAND is missing: kv.");
    }
}
