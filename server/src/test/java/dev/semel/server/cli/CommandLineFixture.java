package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Runs commands in this process, and lists them. */
final class CommandLineFixture {

    private CommandLineFixture() {}

    record Result(int status, String out, String err) {}

    static Result semel(List<String> arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = Semel.run(
                InputStream.nullInputStream(),
                out,
                new PrintStream(err, true, UTF_8),
                arguments.toArray(String[]::new));
        return new Result(status, out.toString(UTF_8), err.toString(UTF_8));
    }

    static Result semel(String line) {
        return semel(line.isEmpty() ? List.of() : List.of(line.split(" ", -1)));
    }

    /** Returns all commands but those of the launcher. */
    static List<CommandLine> commands() {
        Terminal terminal = new Terminal(InputStream.nullInputStream(), OutputStream.nullOutputStream());
        List<CommandLine> commands = new ArrayList<>();
        collect(Semel.commandLine(terminal, System.err), commands);
        return commands;
    }

    private static void collect(CommandLine command, List<CommandLine> commands) {
        boolean launchers = Stream.of(LauncherCommand.values())
                .anyMatch(launcher -> launcher.command().equals(command.getCommandName()));
        if (!launchers) {
            commands.add(command);
            command.getSubcommands().values().forEach(subcommand -> collect(subcommand, commands));
        }
    }

    /** Returns the name of a command without "semel", as words. */
    static List<String> words(CommandLine command) {
        List<String> words = List.of(command.getCommandSpec().qualifiedName().split(" ", -1));
        return words.subList(1, words.size());
    }

    static List<String> with(List<String> words, String... more) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of(more));
        return all;
    }
}
