package dev.semel.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "key",
        description = "Checks templates of keys, and splits keys by them.",
        subcommands = {KeyCheckCommand.class, KeyParseCommand.class},
        synopsisSubcommandLabel = "COMMAND")
final class KeyCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name a command: check or parse");
    }
}
