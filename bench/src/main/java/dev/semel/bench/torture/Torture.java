package dev.semel.bench.torture;

import dev.semel.bench.Program;
import dev.semel.bench.TempFolder;
import dev.semel.testkit.crash.CrashFailure;
import dev.semel.testkit.crash.CrashReport;
import dev.semel.testkit.crash.CrashRun;
import dev.semel.testkit.crash.CrashSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Repeatedly kills a process that uses a store, and checks that every acknowledged effect is stored exactly once. */
@Command(
        name = "semel torture",
        description = {
            "Kills a process that runs operations on a store, again and again, and checks that every acknowledged operation"
                    + " happened exactly once. On PostgreSQL, two processes run the operations, and connections and the"
                    + " database server are killed as well.",
            "The exit status is 1 if a check fails. Then the folder is kept."
        },
        footer = {"", "Example: ./semel torture --store rocksdb --kills 1000 --seed 7"})
public final class Torture extends Program implements Callable<Integer> {

    /** Kills per store. Each round uses a new store, so that checks do not take longer and longer. */
    static final int KILLS_PER_ROUND = 100;

    private static final Map<String, Tortured.Kind> STORES =
            new TreeMap<>(Map.of("rocksdb", folder -> new TorturedRocksDb(), "postgres", TorturedPostgres::begin));

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--store",
            paramLabel = "NAME",
            required = true,
            completionCandidates = StoreNames.class,
            description = "The store: rocksdb, or postgres (Linux only).")
    private String store = "";

    @Option(
            names = "--kills",
            paramLabel = "N",
            defaultValue = "100",
            description =
                    "Number of kills. One takes about 0.5 seconds, on PostgreSQL 2 seconds. Default: ${DEFAULT-VALUE}.")
    private int kills;

    @Option(
            names = "--seed",
            paramLabel = "SEED",
            description =
                    "Repeats the operations and the kills of an earlier run. Default: random, and printed at the end.")
    private @Nullable Long seed;

    @Option(
            names = "--folder",
            paramLabel = "FOLDER",
            description =
                    "Folder for the stores. It must be empty or not exist, and is kept. Default: a temporary folder.")
    private @Nullable Path folder;

    private final long startedAt = System.nanoTime();

    private Torture() {}

    /** The names of the stores, for errors. */
    static final class StoreNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return STORES.keySet().iterator();
        }
    }

    /** Runs the command and exits with its status. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return commandLine(new Torture());
    }

    @Override
    public Integer call() throws IOException {
        Tortured.Kind kind = STORES.get(store);
        if (kind == null) {
            throw wrongUse("--store must be " + String.join(" or ", new StoreNames()) + ", not '" + store + "'.");
        }
        requireAtLeast(1, "--kills", kills, spec);
        if (folder != null && !isFree(folder)) {
            throw wrongUse("--folder must be empty or not exist, but '" + folder + "' has files.");
        }
        long firstSeed = seed == null ? newSeed() : seed;
        boolean holds = folder == null ? tortureInTempFolder(kind, firstSeed) : torture(kind, folder, firstSeed);
        return holds ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    /** Runs in a temporary folder, which is kept if the check fails. */
    private boolean tortureInTempFolder(Tortured.Kind kind, long firstSeed) throws IOException {
        TempFolder temp = TempFolder.create("semel-torture-");
        boolean holds = false;
        try {
            holds = torture(kind, temp.path(), firstSeed);
            return holds;
        } finally {
            if (holds) {
                temp.close();
            } else {
                temp.keep();
            }
        }
    }

    private ParameterException wrongUse(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private static boolean isFree(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return !Files.exists(folder);
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }

    /** Returns a seed that is short enough to type. */
    private static long newSeed() {
        return new SecureRandom().nextInt(1_000_000);
    }

    private boolean torture(Tortured.Kind kind, Path parent, long firstSeed) throws IOException {
        showProgress(CrashReport.NOTHING);
        try (Tortured tortured = kind.begin(parent)) {
            return torture(tortured, parent, firstSeed);
        }
    }

    /** Runs all rounds. They have consecutive seeds, so the seed of a failed round repeats that round. */
    private boolean torture(Tortured tortured, Path parent, long firstSeed) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        CrashReport sum = CrashReport.NOTHING;
        for (int round = 0; sum.kills() < kills; round++) {
            CrashSettings settings = tortured.round(parent.resolve("round-" + (round + 1)))
                    .withKills(Math.min(KILLS_PER_ROUND, kills - sum.kills()))
                    .withSeed(firstSeed + round);
            CrashReport before = sum;
            try {
                showProgress(before);
                sum = sum.plus(new CrashRun(settings).run(now -> showProgress(before.plus(now))));
            } catch (CrashFailure e) {
                endProgress();
                spec.commandLine().getErr().println("semel torture: " + e.getMessage());
                out.println(
                        store + ", seed " + firstSeed + ": something does not hold, see above; to repeat that round:"
                                + " --seed " + settings.seed() + " --kills " + settings.kills());
                return false;
            }
            if (folder == null) {
                TempFolder.delete(settings.folder());
            }
        }
        endProgress();
        out.println(verdict(firstSeed, sum));
        return true;
    }

    private void showProgress(CrashReport now) {
        PrintWriter err = spec.commandLine().getErr();
        err.printf(
                Locale.ROOT,
                "\r[%3d %%] %,d of %,d kills, %,d operations acknowledged",
                100L * now.kills() / kills,
                now.kills(),
                kills,
                now.operations());
        err.flush();
    }

    private void endProgress() {
        spec.commandLine().getErr().println();
    }

    private String verdict(long firstSeed, CrashReport sum) {
        return String.format(
                Locale.ROOT,
                "%s, seed %d: %,d kills (%,d while opening), %,d operations acknowledged (%,d times), %,d effects checked"
                        + " (%,d run again, %,d frozen) in %,d s: everything acknowledged is there exactly once",
                store,
                firstSeed,
                sum.kills(),
                sum.killsWhileOpening(),
                sum.operations(),
                sum.acknowledgements(),
                sum.effects(),
                sum.rerun(),
                sum.frozen(),
                Duration.ofNanos(System.nanoTime() - startedAt).toSeconds());
    }
}
