package dev.semel.bench;

import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** A command with a process of its own: its help, and the one line that it says when it is used wrongly or fails. */
public abstract class Program {

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(names = "--help", usageHelp = true, scope = ScopeType.INHERIT, description = "Prints this help and exits.")
    private boolean help;

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Prints the stack of an error, too.")
    private boolean verbose;

    /** What runs a program with the arguments that it is given. */
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
}
