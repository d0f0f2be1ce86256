package dev.semel.server.cli;

import static java.util.Map.entry;

import dev.semel.server.settings.Suggestions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.MaxValuesExceededException;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Describes wrong use of a command: what is wrong, with the value given, and what is accepted. */
final class UsageErrors {

    /** What a value is, by its label in the help. */
    private static final Map<String, String> VALUES = Map.ofEntries(
            entry("N", "a whole number"),
            entry("TIME", "a time such as 24h"),
            entry("SIZE", "a size such as 256MiB"),
            entry("SHARE", "a number from 0 to 1"),
            entry("URL", "the URL of a store"),
            entry("SERVER", "the address of a server such as http://localhost:8080"),
            entry("FILE", "the name of a file"),
            entry("FOLDER", "the name of a folder"),
            entry("PREFIX", "letters, digits and underscores"),
            entry("NAME", "a name"),
            entry("USER", "the name of a user"),
            entry("TEXT", "a text"));

    private UsageErrors() {}

    /**
     * Returns the sentences for an error.
     *
     * @param arguments all arguments of the command line
     */
    static String describe(ParameterException e, String... arguments) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        String mistyped =
                e instanceof MissingParameterException || command.parser().unmatchedOptionsArePositionalParams()
                        ? mistypedOption(command, List.of(arguments))
                        : null;
        ArgSpec arg = e.getArgSpec();
        String name = arg == null ? "" : name(arg, arguments);
        if (mistyped != null) {
            return unknownOption(command, mistyped);
        }
        if (e instanceof UsageException) {
            return String.valueOf(e.getMessage());
        }
        if (e instanceof UnmatchedArgumentException unmatched) {
            return unmatched(command, unmatched.getUnmatched());
        }
        if (e instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            ArgSpec needed = missing.getMissing().get(0);
            return name(needed, arguments) + (needed.isOption() ? " requires a value: " : " is missing: ")
                    + accepted(needed) + ".";
        }
        if (e instanceof OverwrittenOptionException overwritten) {
            return name(overwritten.getOverwritten(), arguments) + " is given twice. Give it once.";
        }
        if (e instanceof MaxValuesExceededException || arg == null) {
            return "The arguments do not match the usage.";
        }
        String value = e.getValue();
        if (arg.isOption() && arg.arity().max() == 0) {
            return name + " takes no value"
                    + (value == null ? "." : ", but it is given " + Suggestions.quote(value) + ".");
        }
        return name + " must be " + accepted(arg) + (value == null ? "." : ", not " + Suggestions.quote(value) + ".");
    }

    /** Returns the exception for a value that an option does not accept. */
    static UsageException notAccepted(CommandSpec command, String option, String value) {
        return new UsageException(
                command,
                option + " must be " + accepted(command.findOption(option)) + ", not " + Suggestions.quote(value)
                        + ".");
    }

    /** Returns "Unknown option '--prot'. Did you mean '--port'?". */
    static String unknownOption(CommandSpec command, String given) {
        Set<String> names = options(command);
        String name = given.replaceFirst("=.*", "");
        return Suggestions.similar(name, names).isEmpty()
                ? "Unknown option " + Suggestions.quote(name) + "."
                : Suggestions.unknown("option", name, names);
    }

    /** Returns the first argument that resembles an option but is none; null if there is no such argument. */
    static @Nullable String mistypedOption(CommandSpec command, List<String> arguments) {
        Set<String> names = options(command);
        return arguments.stream()
                .takeWhile(argument -> !argument.equals("--"))
                .filter(argument -> argument.startsWith("--"))
                .map(argument -> argument.replaceFirst("=.*", ""))
                .filter(name -> !names.contains(name)
                        && !Suggestions.similar(name, names).isEmpty())
                .findFirst()
                .orElse(null);
    }

    private static Set<String> options(CommandSpec command) {
        return command.options().stream()
                .flatMap(option -> Arrays.stream(option.names()))
                .filter(name -> name.startsWith("--"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String unmatched(CommandSpec command, List<String> unmatched) {
        String given = unmatched.get(0);
        if (given.startsWith("-") && given.length() > 1) {
            return unknownOption(command, given);
        }
        if (!command.subcommands().isEmpty() && command.positionalParameters().isEmpty()) {
            return Suggestions.unknown("command", given, command.subcommands().keySet());
        }
        List<String> labels = command.positionalParameters().stream()
                .map(PositionalParamSpec::paramLabel)
                .toList();
        return "Unexpected argument " + Suggestions.quote(given) + ". "
                + (labels.isEmpty()
                        ? "This command takes no arguments."
                        : "This command takes " + String.join(" and ", labels) + ".");
    }

    /** Returns the name of an option as the user has written it. */
    private static String name(ArgSpec arg, String... arguments) {
        if (!(arg instanceof OptionSpec option)) {
            return arg.paramLabel();
        }
        return Stream.of(option.names())
                .filter(name -> Stream.of(arguments).anyMatch(argument -> argument.startsWith(name)))
                .findFirst()
                .orElse(option.longestName());
    }

    /** Returns what an option or argument may be: its choices, or its kind, or the first sentence of its help. */
    static String accepted(ArgSpec arg) {
        List<String> choices = new ArrayList<>();
        if (arg.completionCandidates() != null) {
            arg.completionCandidates().forEach(choices::add);
        }
        if (!choices.isEmpty()) {
            return (choices.size() > 3 ? "one of " : "") + join(choices);
        }
        String value = VALUES.get(arg.paramLabel());
        if (value != null && (arg.isOption() || arg.type() == Path.class)) {
            return value;
        }
        String help = String.join(" ", arg.description()).replaceFirst("\\.(?: .*)?$", "");
        if (arg.isOption() && help.contains(": ")) {
            return help.substring(help.indexOf(": ") + 2);
        }
        return help.isEmpty() ? arg.paramLabel() : help.substring(0, 1).toLowerCase(Locale.ROOT) + help.substring(1);
    }

    private static String join(List<String> choices) {
        int last = choices.size() - 1;
        return last == 0 ? choices.get(0) : String.join(", ", choices.subList(0, last)) + " or " + choices.get(last);
    }
}
