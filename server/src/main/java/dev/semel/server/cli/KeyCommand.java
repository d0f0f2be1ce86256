package dev.semel.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "key",
        description = "Checks key templates, and splits keys into their parts.",
        subcommands = {KeyCheckCommand.class, KeyParseCommand.class, HelpCommand.class},
        synopsisSubcommandLabel = "COMMAND")
final class KeyCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new UsageException(spec, "COMMAND is missing: check or parse.");
    }
}
