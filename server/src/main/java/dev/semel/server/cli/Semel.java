package dev.semel.server.cli;

import dev.semel.id.IdScheme.ExhaustedException;
import dev.semel.id.MalformedException;
import dev.semel.json.MalformedJsonException;
import dev.semel.store.StoreException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * The {@code semel} command. Exits with 0 on success, 1 on failure and 2 on wrong use; errors are one line on standard error,
 * with the stack behind it only under {@code --verbose}.
 */
@Command(
        name = "semel",
        description = "One good key for everything, and every write exactly once.",
        subcommands = {
            ServeCommand.class,
            IdCommand.class,
            KeyCommand.class,
            FingerprintCommand.class,
            BackupCommand.class,
            RestoreCommand.class,
            CompletionCommand.class
        },
        versionProvider = Semel.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Two more are the launcher's own:",
            "  test        Builds everything and runs the whole test suite.",
            "  bench NAME  Runs benchmarks with peers side by side."
        })
public final class Semel implements Runnable {

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(names = "--version", versionHelp = true, description = "Prints the version and exits.")
    private boolean version;

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(names = "--help", usageHelp = true, scope = ScopeType.INHERIT, description = "Prints this help and exits.")
    private boolean help;

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Prints the stack of an error, too.")
    private boolean verbose;

    @Spec
    private CommandSpec spec;

    private Semel() {}

    /** Runs one command and exits. */
    public static void main(String[] arguments) {
        int status = run(
                new FileInputStream(FileDescriptor.in),
                new FileOutputStream(FileDescriptor.out),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                arguments);
        System.exit(status);
    }

    /** Runs one command on given streams and returns its exit status. */
    static int run(InputStream in, OutputStream out, PrintStream err, String... arguments) {
        Terminal terminal = new Terminal(in, out);
        try {
            int status = commandLine(terminal, err).execute(arguments);
            terminal.flush();
            return status;
        } catch (Terminal.OutputException e) {
            return outputFailed(e, err);
        }
    }

    private static CommandLine commandLine(Terminal terminal, PrintStream err) {
        CommandLine commandLine = new CommandLine(new Semel(), new Terminal.Factory(terminal))
                .setExpandAtFiles(false) // an argument that begins with @ is not a file to read more from
                .setOut(terminal.writer())
                .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
                .setUsageHelpAutoWidth(true)
                .registerConverter(Long.class, Semel::number)
                .registerConverter(long.class, Semel::number)
                .setExecutionStrategy(result -> {
                    rejectIgnoredOptions(result);
                    return new CommandLine.RunLast().execute(result);
                })
                .setParameterExceptionHandler((e, args) -> {
                    String command = e.getCommandLine().getCommandSpec().qualifiedName();
                    err.println(command + ": " + onOneLine(e.getMessage()) + " (see ./" + command + " --help)");
                    return ExitCode.USAGE;
                });
        Semel semel = commandLine.getCommand();
        commandLine.setExecutionExceptionHandler((e, failed, result) -> {
            if (e instanceof Terminal.OutputException output) {
                return outputFailed(output, err);
            }
            boolean expected = e instanceof MalformedException
                    || e instanceof MalformedJsonException
                    || e instanceof StoreException
                    || e instanceof ExhaustedException
                    || e instanceof UncheckedIOException;
            String command = failed.getCommandSpec().qualifiedName();
            err.println(command + ": " + (expected ? "" : "unexpected error: ") + onOneLine(e.getMessage()));
            if (semel.verbose) {
                e.printStackTrace(err);
            }
            return ExitCode.SOFTWARE;
        });
        return commandLine;
    }

    /** For commands whose arguments may begin with a hyphen, as ids and keys do; so no command has a {@code -h}. */
    static void allowHyphens(CommandSpec spec) {
        spec.parser().unmatchedOptionsArePositionalParams(true).posixClusteredShortOptionsAllowed(false);
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new TypeConversionException(MalformedException.quote(text) + " is not a whole number");
        }
    }

    /** An option of a command is ignored if a subcommand follows, unless both have it. */
    private static void rejectIgnoredOptions(ParseResult result) {
        for (ParseResult outer = result; outer.hasSubcommand(); outer = outer.subcommand()) {
            Stream<ArgSpec> own = Stream.concat(
                    outer.matchedOptions().stream().filter(option -> option.scopeType() != ScopeType.INHERIT),
                    outer.matchedPositionals().stream());
            ArgSpec ignored = own.findFirst().orElse(null);
            if (ignored != null) {
                String name = ignored.isOption() ? ((OptionSpec) ignored).longestName() : ignored.paramLabel();
                String command = outer.subcommand().commandSpec().name();
                throw new ParameterException(
                        outer.subcommand().commandSpec().commandLine(), name + " does not go before " + command);
            }
        }
    }

    /** Nobody is there to read any more, which ends a pipe and is no failure; or the output could not be written. */
    private static int outputFailed(Terminal.OutputException e, PrintStream err) {
        String message = e.getMessage();
        if (message != null && message.contains("Broken pipe")) {
            return ExitCode.OK;
        }
        err.println("semel: cannot write the output: " + onOneLine(message));
        return ExitCode.SOFTWARE;
    }

    /** An error message may quote what the user typed: whatever it holds, it stays one line and moves no cursor. */
    private static String onOneLine(@Nullable String message) {
        StringBuilder line = new StringBuilder();
        String.valueOf(message).codePoints().limit(1000).forEach(c -> {
            switch (Character.getType(c)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.SURROGATE,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR -> line.append(String.format("\\u%04x", c));
                default -> line.appendCodePoint(c);
            }
        });
        return line.toString();
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name a command");
    }

    /** The version of the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Semel.class.getPackage().getImplementationVersion();
            return new String[] {"semel " + (version == null ? "(unpackaged)" : version)};
        }
    }
}
