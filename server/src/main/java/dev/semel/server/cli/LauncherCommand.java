package dev.semel.server.cli;

import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;

/** Commands that the launcher runs itself. Here they are known for suggestions and shell completion. */
enum LauncherCommand {
    TEST("Builds Semel and runs its tests."),
    BENCH("Runs a benchmark."),
    TORTURE("Kills a process that uses a store, again and again, and checks the store.");

    private final String description;

    LauncherCommand(String description) {
        this.description = description;
    }

    String command() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns a command that refers to the launcher, which runs the real one if it is the first argument. */
    CommandSpec spec() {
        CommandSpec[] spec = new CommandSpec[1];
        Runnable refer = () -> {
            throw new UsageException(
                    spec[0],
                    "The launcher runs this command if it is the first argument: './semel " + command() + "'.");
        };
        spec[0] = CommandSpec.wrapWithoutInspection(refer).name(command());
        spec[0].usageMessage().description(description);
        spec[0].parser().unmatchedArgumentsAllowed(true);
        return spec[0];
    }
}
