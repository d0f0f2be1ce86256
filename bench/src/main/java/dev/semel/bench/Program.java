package dev.semel.bench;

import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/** A command that runs in a separate process. Prints its help, and errors as one line. */
public abstract class Program {

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Prints this help and exits.")
    private boolean help;

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Prints the stack trace of an error, too.")
    private boolean verbose;

    /** Runs a program with arguments. */
    protected static CommandLine commandLine(Program program) {
        CommandLine commandLine = new CommandLine(program);
        String name = commandLine.getCommandName();
        commandLine.setParameterExceptionHandler((e, arguments) -> {
            commandLine.getErr().println(name + ": " + e.getMessage() + " (see ./" + name + " --help)");
            return ExitCode.USAGE;
        });
        commandLine.setExecutionExceptionHandler((e, failed, result) -> {
            commandLine.getErr().println(name + ": " + e);
            if (program.verbose) {
                e.printStackTrace(commandLine.getErr());
            }
            return ExitCode.SOFTWARE;
        });
        return commandLine;
    }

    /**
     * Checks the value of an option.
     *
     * @throws ParameterException if it is less than the minimum
     */
    public static void requireAtLeast(long least, String option, long value, CommandSpec command) {
        if (value < least) {
            throw new ParameterException(
                    command.commandLine(), option + " has to be " + least + " or more, not " + value);
        }
    }
}
