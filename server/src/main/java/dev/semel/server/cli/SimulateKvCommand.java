package dev.semel.server.cli;

import dev.semel.kv.KvSimulation;
import dev.semel.kv.KvSimulation.Result;
import dev.semel.kv.KvSimulation.Settings;
import dev.semel.kv.KvTiming;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.SettingException;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonGenerator;

@Command(
        name = "kv",
        description = {
            "Simulates the allocation of short ids on a key-value store, and counts the posts that are overwritten.",
            "It runs the code of the server in virtual time. The same seed gives the same result."
        },
        footer = {
            "",
            "TIME is a whole number with ms, s, m, h or d.",
            "",
            "Examples: ./semel simulate kv --settle 100ms --writers 32",
            "          ./semel simulate kv --literal --json"
        })
final class SimulateKvCommand implements Runnable {

    private static final int MOST_POSTS = 10_000_000;
    private static final int MOST_WRITERS = 10_000;
    private static final int TRIES = 20;
    private static final double MOST_NANOS = Long.MAX_VALUE / 4.0;

    @Option(names = "--posts", paramLabel = "N", description = "Number of posts. Default: 100000.")
    private int posts = 100_000;

    @Option(names = "--writers", paramLabel = "N", description = "Number of concurrent writers. Default: 8.")
    private int writers = 8;

    @Option(
            names = "--settle",
            paramLabel = "TIME",
            description = "How long a writer waits before it verifies its claim. Default: 2s.")
    private String settle = "2s";

    @Option(
            names = "--gap",
            paramLabel = "TIME",
            description = "Longest time from a read to the end of the write after it. Default: 500ms.")
    private String gap = "500ms";

    @Option(
            names = "--staleness",
            paramLabel = "TIME",
            description = "Greatest age of a value that the store returns. Default: 0s.")
    private String staleness = "0s";

    @Option(names = "--occupancy", paramLabel = "SHARE", description = "Share of the ids in use, 0 to 1. Default: 0.")
    private double occupancy;

    @Option(names = "--seed", paramLabel = "N", description = "Selects the random numbers. Default: 1.")
    private long seed = 1;

    @Option(
            names = "--literal",
            description = "Runs the steps of the Textpile specification as they are written, without settling.")
    private boolean literal;

    @Option(names = "--json", description = "Prints a JSON object.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    SimulateKvCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        Settings settings = settings();
        Result result = KvSimulation.run(settings);
        if (json) {
            terminal.printJson(object -> write(object, settings, result));
        } else {
            print(settings, result);
        }
    }

    private Settings settings() {
        checkRange("--posts", posts, MOST_POSTS);
        checkRange("--writers", writers, MOST_WRITERS);
        if (!(occupancy >= 0 && occupancy <= 1)) {
            throw UsageErrors.notAccepted(spec, "--occupancy", Double.toString(occupancy));
        }
        try {
            KvTiming timing = new KvTiming(
                    ServerSettings.keyValueTime("--settle", settle),
                    ServerSettings.keyValueTime("--gap", gap),
                    ServerSettings.keyValueTime("--staleness", staleness));
            checkLength(timing);
            return new Settings(posts, writers, timing, occupancy, seed, literal);
        } catch (SettingException e) {
            throw UsageException.of(spec, e);
        }
    }

    private void checkRange(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new UsageException(spec, option + " must be from 1 to " + most + ", not " + value + ".");
        }
    }

    /** Rejects times that would exceed the range of the virtual clock. */
    private void checkLength(KvTiming timing) {
        Duration attempt = timing.settle().plus(timing.gap().multipliedBy(4)).plusMillis(stalenessMillis(timing));
        if ((double) attempt.toMillis() * 1e6 * TRIES * posts > MOST_NANOS) {
            throw new UsageException(spec, "The times are too long for " + posts + " posts: choose fewer --posts.");
        }
    }

    private static double failureRate(Settings settings, Result result) {
        return (double) result.failed() / settings.posts();
    }

    private static double perMillion(Settings settings, Result result) {
        return 1e6 * result.overwritten() / settings.posts();
    }

    private static void write(JsonGenerator object, Settings settings, Result result) {
        object.writeNumberProperty("posts", settings.posts());
        object.writeNumberProperty("allocated", result.allocated());
        object.writeNumberProperty("overwritten", result.overwritten());
        object.writeNumberProperty("failed", result.failed());
        object.writeNumberProperty("expectedFailureRate", settings.expectedFailureRate());
        object.writeNumberProperty("failureRate", failureRate(settings, result));
        object.writeNumberProperty("overwrittenPerMillion", perMillion(settings, result));
        object.writeNumberProperty("attempts", result.attempts());
        object.writeNumberProperty("simulatedMillis", result.duration().toMillis());
        object.writeBooleanProperty("safe", isSafe(settings));
        object.writeBooleanProperty("literal", settings.literal());
        object.writeNumberProperty("writers", settings.writers());
        object.writeNumberProperty("settleMillis", settings.timing().settle().toMillis());
        object.writeNumberProperty("gapMillis", settings.timing().gap().toMillis());
        object.writeNumberProperty("stalenessMillis", stalenessMillis(settings.timing()));
        object.writeNumberProperty("occupancy", settings.occupancy());
        object.writeNumberProperty("seed", settings.seed());
    }

    private static long stalenessMillis(KvTiming timing) {
        Duration staleness = timing.staleness();
        return staleness == null ? 0 : staleness.toMillis();
    }

    private static boolean isSafe(Settings settings) {
        return !settings.literal() && settings.timing().isSafe();
    }

    private void print(Settings settings, Result result) {
        Table table = new Table();
        table.add("posts", number(settings.posts()), settings.writers() + " writers, seed " + settings.seed());
        table.add("allocated", number(result.allocated()), number(result.attempts()) + " ids were tried");
        table.add(
                "overwritten",
                number(result.overwritten()),
                String.format(Locale.ROOT, "%,.0f of a million", perMillion(settings, result)));
        table.add(
                "failed",
                number(result.failed()),
                String.format(
                        Locale.ROOT,
                        "%.4g %% of the posts; expected: %.4g %%",
                        100 * failureRate(settings, result),
                        100 * settings.expectedFailureRate()));
        table.print(terminal, "");
        terminal.println("");
        terminal.println(
                settings.literal()
                        ? "Not safe: the steps of the specification do not exclude overwrites."
                        : settings.timing()
                                .violation()
                                .map(violation -> "Not safe: " + violation + ".")
                                .orElse("Safe: the times exclude overwrites."));
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
