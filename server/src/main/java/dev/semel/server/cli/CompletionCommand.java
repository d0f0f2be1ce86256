package dev.semel.server.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "completion",
        description = "Prints a completion script for bash and zsh.",
        footer = {"", "Example: source <(./semel completion)"})
final class CompletionCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    CompletionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        terminal.println(AutoComplete.bash("semel", spec.root().commandLine()));
    }
}
