package dev.semel.server.cli;

import dev.semel.server.settings.Suggestions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "help",
        description = "Prints the help of a command.",
        footer = {"", "Example: ./semel help id inspect"})
final class HelpCommand implements Runnable {

    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "The command. Without it, all commands are listed.")
    private List<String> path = new ArrayList<>();

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    HelpCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        CommandLine shown = Objects.requireNonNull(spec.parent()).commandLine();
        for (String name : path) {
            CommandLine next = shown.getSubcommands().get(name);
            if (next == null) {
                throw new UsageException(
                        spec,
                        Suggestions.unknown(
                                "command", name, shown.getSubcommands().keySet()));
            }
            shown = next;
        }
        terminal.print(shown.getUsageMessage());
    }
}
