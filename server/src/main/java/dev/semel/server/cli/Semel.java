package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The {@code semel} command. The exit status is 0 for success, 1 for a failure and 2 for wrong use. An error is one line on standard
 * error; {@code --verbose} adds the stack trace.
 */
@Command(
        name = "semel",
        subcommands = {
            ServeCommand.class,
            BackupCommand.class,
            RestoreCommand.class,
            OutboxCommand.class,
            MigrateCommand.class,
            IdCommand.class,
            KeyCommand.class,
            FingerprintCommand.class,
            SimulateCommand.class,
            CompletionCommand.class,
            HelpCommand.class
        },
        versionProvider = Semel.Version.class)
public final class Semel implements Runnable {

    /** Also printed by the launcher, which does not need a build for it. */
    private static final String OVERVIEW = "overview.txt";

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(names = "--version", versionHelp = true, description = "Prints the version.")
    private boolean version;

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Prints this help.")
    private boolean help;

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Prints the stack trace of an error.")
    private boolean verbose;

    private final Terminal terminal;

    private Semel(Terminal terminal) {
        this.terminal = terminal;
    }

    @Spec
    void spec(CommandSpec spec) {
        spec.usageMessage().sectionKeys(List.of(OVERVIEW)).sectionMap().put(OVERVIEW, help -> overview());
    }

    /** Runs one command and exits. */
    public static void main(String[] arguments) {
        int status = run(
                new FileInputStream(FileDescriptor.in),
                new FileOutputStream(FileDescriptor.out),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8),
                arguments);
        System.exit(status);
    }

    /** Runs one command on given streams and returns its exit status. */
    static int run(InputStream in, OutputStream out, PrintStream err, String... arguments) {
        Terminal terminal = new Terminal(in, out);
        try {
            int status = commandLine(terminal, err).execute(withLongHelp(arguments));
            terminal.flush();
            return status;
        } catch (Terminal.OutputException e) {
            return outputFailed(e, err);
        } catch (Error e) {
            err.println("semel: " + FailureText.of(e));
            if (List.of(arguments).contains("--verbose")) {
                e.printStackTrace(err);
            }
            return ExitCode.SOFTWARE;
        }
    }

    /** Returns the command with all its subcommands. */
    static CommandLine commandLine(Terminal terminal, PrintStream err) {
        Semel semel = new Semel(terminal);
        CommandLine commandLine = new CommandLine(semel, new Terminal.Factory(terminal))
                .setExpandAtFiles(false) // an argument that begins with @ is not a file to read more from
                .setOut(terminal.writer())
                .setErr(new PrintWriter(err, true, UTF_8))
                .setUsageHelpAutoWidth(true)
                .setExecutionStrategy(result -> {
                    rejectIgnoredOptions(result);
                    rejectMistypedOptions(result);
                    return new CommandLine.RunLast().execute(result);
                })
                .setParameterExceptionHandler((e, arguments) -> {
                    String command = e.getCommandLine().getCommandSpec().qualifiedName();
                    err.println(command + ": " + FailureText.onOneLine(UsageErrors.describe(e, arguments)) + " See './"
                            + command + " --help'.");
                    return ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((e, failed, result) -> {
                    if (e instanceof Terminal.OutputException output) {
                        return outputFailed(output, err);
                    }
                    err.println(failed.getCommandSpec().qualifiedName() + ": " + FailureText.of(e));
                    if (semel.verbose) {
                        e.printStackTrace(err);
                    }
                    return ExitCode.SOFTWARE;
                });
        for (LauncherCommand command : LauncherCommand.values()) {
            commandLine.addSubcommand(command.command(), command.spec());
        }
        arrange(commandLine);
        return commandLine;
    }

    /** Replaces -h: where arguments may begin with a hyphen, the parser would take -habc for -h, so only --help is declared. */
    private static String[] withLongHelp(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        int end = all.contains("--") ? all.indexOf("--") : all.size();
        all.subList(0, end).replaceAll(argument -> argument.equals("-h") ? "--help" : argument);
        return all.toArray(String[]::new);
    }

    /** Arranges the help of a command and its subcommands. */
    private static void arrange(CommandLine commandLine) {
        CommandSpec spec = commandLine.getCommandSpec();
        if (spec.parser().unmatchedOptionsArePositionalParams()) {
            OptionSpec help = spec.findOption("--help");
            spec.remove(help);
            spec.addOption(OptionSpec.builder(help).names("--help").build());
        }
        spec.usageMessage()
                .sortOptions(false)
                .sortSynopsis(false)
                .parameterListHeading("%nArguments:%n")
                .optionListHeading(commandLine.getCommandName().equals("serve") ? "%n" : "%nOptions:%n")
                .commandListHeading("%nCommands:%n");
        commandLine.getSubcommands().values().forEach(Semel::arrange);
    }

    /** For commands whose arguments may begin with a hyphen, as ids and keys do. */
    static void allowHyphens(CommandSpec spec) {
        spec.parser().unmatchedOptionsArePositionalParams(true).posixClusteredShortOptionsAllowed(false);
    }

    /** An option of a command would be ignored if a subcommand follows, unless both have it. */
    private static void rejectIgnoredOptions(ParseResult result) {
        for (ParseResult outer = result; outer.hasSubcommand(); outer = outer.subcommand()) {
            Stream<ArgSpec> own = Stream.concat(
                    outer.matchedOptions().stream().filter(option -> option.scopeType() != ScopeType.INHERIT),
                    outer.matchedPositionals().stream());
            ArgSpec ignored = own.findFirst().orElse(null);
            if (ignored != null) {
                String name = ignored.isOption() ? ((OptionSpec) ignored).longestName() : ignored.paramLabel();
                CommandSpec command = outer.subcommand().commandSpec();
                boolean misplaced = ignored.isOption() && command.findOption(name) != null;
                throw new UsageException(
                        command,
                        misplaced
                                ? name + " must follow " + command.name() + "."
                                : name + " cannot be given before " + command.name() + ".");
            }
        }
    }

    /** A command whose arguments may begin with a hyphen would take a mistyped option for one. */
    private static void rejectMistypedOptions(ParseResult result) {
        ParseResult last = result;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        CommandSpec command = last.commandSpec();
        if (!command.parser().unmatchedOptionsArePositionalParams()) {
            return;
        }
        String mistyped = UsageErrors.mistypedOption(command, result.originalArgs());
        if (mistyped != null) {
            throw new UsageException(command, UsageErrors.unknownOption(command, mistyped));
        }
    }

    /** A reader that has closed its end of a pipe ends the command, which is no failure. */
    private static int outputFailed(Terminal.OutputException e, PrintStream err) {
        String message = e.getMessage();
        if (message != null && message.contains("Broken pipe")) {
            return ExitCode.OK;
        }
        err.println("semel: Cannot write the output: " + FailureText.onOneLine(message));
        return ExitCode.SOFTWARE;
    }

    private static String overview() {
        try (InputStream in = Semel.class.getResourceAsStream(OVERVIEW)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the overview: " + e.getMessage(), e);
        }
    }

    @Override
    public void run() {
        terminal.print(overview());
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
