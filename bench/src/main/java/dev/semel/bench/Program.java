package dev.semel.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/** A command that runs in a separate process. Prints its help, and errors as one line. */
public abstract class Program {

    /** What a value is, by its label in the help. */
    private static final Map<String, String> VALUES = Map.of(
            "N", "a whole number",
            "SEED", "a whole number",
            "SECONDS", "a whole number",
            "FOLDER", "the name of a folder");

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Prints this help.")
    private boolean help;

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Prints the stack trace of an error.")
    private boolean verbose;

    /** Returns the command line of a program. */
    protected static CommandLine commandLine(Program program) {
        CommandLine commandLine = new CommandLine(program);
        commandLine.setParameterExceptionHandler((e, arguments) -> {
            String command = e.getCommandLine().getCommandSpec().qualifiedName();
            commandLine.getErr().println(command + ": " + describe(e, arguments) + " See './" + command + " --help'.");
            return ExitCode.USAGE;
        });
        commandLine.setExecutionExceptionHandler((e, failed, result) -> {
            String message = e.getMessage() == null ? "Unexpected error" : e.getMessage();
            commandLine
                    .getErr()
                    .println(failed.getCommandSpec().qualifiedName() + ": " + message
                            + (program.verbose ? "" : " (--verbose prints the stack trace)"));
            if (program.verbose) {
                e.printStackTrace(commandLine.getErr());
            }
            return ExitCode.SOFTWARE;
        });
        arrange(commandLine);
        return commandLine;
    }

    /** Arranges the help of a command and its subcommands. */
    private static void arrange(CommandLine commandLine) {
        commandLine
                .getCommandSpec()
                .usageMessage()
                .sortOptions(false)
                .sortSynopsis(false)
                .optionListHeading("%nOptions:%n")
                .commandListHeading("%nBenchmarks:%n");
        commandLine.getSubcommands().values().forEach(Program::arrange);
    }

    private static String describe(ParameterException e, String... arguments) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            return unmatched(unmatched);
        }
        if (e instanceof OverwrittenOptionException overwritten) {
            return name(overwritten.getOverwritten()) + " is given twice. Give it once.";
        }
        if (e instanceof MissingParameterException missing) {
            UnmatchedArgumentException mistyped = mistyped(e.getCommandLine(), arguments);
            if (mistyped != null) {
                return unmatched(mistyped);
            }
            ArgSpec arg = missing.getMissing().get(0);
            boolean required = arg instanceof OptionSpec option && option.required();
            return name(arg) + (required ? " is required: " : " requires a value: ") + accepted(arg) + ".";
        }
        ArgSpec arg = e.getArgSpec();
        if (arg == null) {
            return String.valueOf(e.getMessage()); // written here
        }
        return name(arg)
                + (arg.arity().max() == 0
                        ? " takes no value, but it is given '"
                        : " must be " + accepted(arg) + ", not '")
                + e.getValue() + "'.";
    }

    /** Returns an error for the first argument that resembles an option but is none; null if there is no such argument. */
    private static @Nullable UnmatchedArgumentException mistyped(CommandLine command, String... arguments) {
        return Stream.of(arguments)
                .filter(argument -> argument.startsWith("--")
                        && command.getCommandSpec().findOption(argument.replaceFirst("=.*", "")) == null)
                .map(argument -> new UnmatchedArgumentException(command, List.of(argument)))
                .filter(error -> !error.getSuggestions().isEmpty())
                .findFirst()
                .orElse(null);
    }

    private static String unmatched(UnmatchedArgumentException e) {
        CommandLine command = e.getCommandLine();
        String given = e.getUnmatched().get(0);
        boolean option = given.startsWith("-");
        if (!option && command.getSubcommands().isEmpty()) {
            return "Unexpected argument '" + given + "'. This command takes no arguments.";
        }
        List<String> similar = e.getSuggestions();
        String hint = similar.isEmpty()
                ? option
                        ? ""
                        : " Choose one of "
                                + String.join(", ", command.getSubcommands().keySet()) + "."
                : " Did you mean '" + similar.get(0) + "'?";
        return "Unknown " + (option ? "option" : "benchmark") + " '" + given.replaceFirst("=.*", "") + "'." + hint;
    }

    private static String name(ArgSpec arg) {
        return arg instanceof OptionSpec option ? option.longestName() : arg.paramLabel();
    }

    private static String accepted(ArgSpec arg) {
        if (arg.completionCandidates() != null) {
            List<String> choices = new ArrayList<>();
            arg.completionCandidates().forEach(choices::add);
            return String.join(" or ", choices);
        }
        return VALUES.getOrDefault(arg.paramLabel(), arg.paramLabel());
    }

    /**
     * Checks the value of an option.
     *
     * @throws ParameterException if it is less than the minimum
     */
    public static void requireAtLeast(long least, String option, long value, CommandSpec command) {
        if (value < least) {
            throw new ParameterException(
                    command.commandLine(),
                    option + " must be a whole number of " + least + " or more, not '" + value + "'.");
        }
    }
}
