package dev.semel.testkit.crash;

import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Tests a store by killing a process that uses it. A worker process runs operations on the store, is killed with {@code kill -9}, and is
 * restarted. The new worker repeats a few acknowledged operations and continues with the next ones. The last worker is not killed. Then
 * the content of the store is compared with the acknowledgements. If the store supports several processes, several workers run the same
 * operations at the same time. {@linkplain Fault Faults} of the server or of connections can be injected as well.
 *
 * <p>The run checks these properties:
 *
 * <ul>
 *   <li>Each operation was executed once, and all its acknowledgements and its record have the same response.
 *   <li>An atomic operation has exactly one document, which is found by its key and by its index entry, and is counted once. Each
 *       document has an idempotency record.
 *   <li>A leased operation has the response of its run with the highest fencing token. Under {@code FREEZE} it ran at most once.
 *   <li>The fencing tokens of an operation are distinct, and each token after a kill is higher than those before it.
 * </ul>
 *
 * <p>Runs with the same seed have the same operations, start their workers at the same distance from the acknowledged operations, and
 * draw the same targets and times of kills. They differ in thread scheduling. {@code kill -9} does not lose data that the operating
 * system has accepted, so this run does not show whether a store syncs its writes to disk.
 */
public final class CrashRun {

    private static final int MOST_ACKNOWLEDGEMENTS = 250;
    private static final long LONGEST_DELAY_NANOS = 3_000_000;
    private static final int MOST_ASKED_AGAIN = 30;
    private static final int MOST_SHOWN = 10;

    private final CrashSettings settings;
    private final SplittableRandom random;
    private final History history = new History();
    private final List<Integer> linesAfterGroup = new ArrayList<>();
    private long highestAsked;
    private long openingNanos = 200_000_000;
    private int kills;
    private int killsWhileOpening;

    public CrashRun(CrashSettings settings) {
        this.settings = settings;
        this.random = new SplittableRandom(settings.seed());
    }

    /** When to kill: at a time while the store is being opened, or after a number of acknowledgements. */
    private record Moment(boolean whileOpening, double ofOpening, int acknowledgements, long delayNanos) {

        static Moment draw(SplittableRandom random) {
            return new Moment(
                    random.nextInt(4) == 0,
                    random.nextDouble() * 1.2,
                    random.nextInt(MOST_ACKNOWLEDGEMENTS),
                    random.nextLong(LONGEST_DELAY_NANOS));
        }
    }

    /**
     * Runs all kills, and checks the store.
     *
     * @param progress called after each kill with the figures so far, without those of the check
     * @throws CrashFailure if the check finds a violation, or if a worker hangs or ends by itself; the message contains the seed
     */
    public CrashReport run(Consumer<CrashReport> progress) {
        try {
            Files.createDirectories(settings.folder());
            while (kills < settings.kills()) {
                runAndKill(progress);
            }
            runToTheEnd();
            return check();
        } catch (CrashFailure e) {
            throw failure(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The crash run was interrupted", e);
        }
    }

    /** Does the same as {@link #run(Consumer)} without reporting progress. */
    public CrashReport run() {
        return run(report -> {});
    }

    private CrashFailure failure(CrashFailure cause) {
        CrashFailure failure = new CrashFailure("Seed " + settings.seed() + ", after " + kills + " kills, in "
                + settings.folder() + ": " + cause.getMessage());
        failure.setStackTrace(cause.getStackTrace());
        return failure;
    }

    /** Returns when all workers have ended, so groups of workers never overlap. */
    private void runAndKill(Consumer<CrashReport> progress) throws IOException, InterruptedException {
        long first = Math.max(1, history.firstOpen() - random.nextInt(MOST_ASKED_AGAIN));
        try (WorkerGroup group = start(first, Long.MAX_VALUE)) {
            while (group.isAtWork() && kills < settings.kills()) {
                awaitAndKill(group, Moment.draw(random));
                progress.accept(new CrashReport(
                        kills, killsWhileOpening, history.operations(), history.acknowledgements(), 0, 0, 0, 0));
            }
            group.killAll();
            takeInTheRest(group);
            group.checkEnds();
        }
        endGroup(first);
    }

    /** With faults configured, two of three events are faults instead of kills. */
    private void awaitAndKill(WorkerGroup group, Moment moment) throws IOException, InterruptedException {
        await(group, moment);
        killsWhileOpening += group.hasOpened() ? 0 : 1;
        int drawn = random.nextInt(6);
        SplittableRandom rest = random.split();
        if (!settings.faults().isEmpty() && drawn < 4) {
            settings.faults().get(rest.nextInt(settings.faults().size())).inject(rest);
        } else if (drawn % 2 == 0) {
            group.killOne(rest);
        } else {
            group.killAll();
        }
        kills++;
    }

    private void runToTheEnd() throws IOException, InterruptedException {
        highestAsked = Math.max(highestAsked, history.firstOpen() + MOST_ACKNOWLEDGEMENTS);
        try (WorkerGroup group = start(history.firstOpen(), highestAsked)) {
            takeInTheRest(group);
            group.checkEnds();
        }
        countLines();
    }

    private WorkerGroup start(long first, long last) throws IOException {
        CrashWorker.Arguments arguments = new CrashWorker.Arguments(
                settings.opener().getName(),
                settings.folder(),
                settings.seed(),
                first,
                last,
                settings.callers(),
                settings.lease(),
                settings.workers() > 1 || !settings.faults().isEmpty());
        return WorkerGroup.start(arguments, settings.workers());
    }

    /** Each caller may have started one operation after the highest acknowledged one. */
    private void endGroup(long first) throws IOException {
        highestAsked = Math.max(highestAsked, Math.max(first - 1, history.highest()) + settings.callers());
        countLines();
    }

    private void countLines() throws IOException {
        linesAfterGroup.add(EffectFile.count(CrashWorker.effects(settings.folder())));
    }

    /** Returns when it is time to kill, after reading all lines printed until then. */
    private void await(WorkerGroup group, Moment moment) throws InterruptedException {
        while (!group.isOpening()) {
            hear(group);
        }
        boolean early = moment.whileOpening && !group.hasOpened();
        long startedAt = System.nanoTime();
        long delay = early ? (long) (moment.ofOpening * openingNanos) : moment.delayNanos;
        if (!early) {
            boolean wasOpen = group.hasOpened();
            while (!group.isOpen()) {
                hear(group);
            }
            openingNanos = wasOpen ? openingNanos : System.nanoTime() - startedAt;
            long enough = history.acknowledgements() + moment.acknowledgements;
            while (history.acknowledgements() < enough) {
                hear(group);
            }
            startedAt = System.nanoTime();
        }
        pauseUntil(startedAt + delay);
        while (group.hasSaid()) {
            hear(group);
        }
    }

    /** Reads a line of a worker that must not end by itself. */
    private void hear(WorkerGroup group) throws InterruptedException {
        Worker.Said said = takeIn(group);
        if (said.isEnd() && group.isAtWork(said.by())) {
            throw new CrashFailure("The worker ended by itself" + said.by().complaint());
        }
    }

    private static void pauseUntil(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void takeInTheRest(WorkerGroup group) throws InterruptedException {
        while (group.isTalking()) {
            takeIn(group);
        }
    }

    private Worker.Said takeIn(WorkerGroup group) throws InterruptedException {
        Worker.Said said = group.next(settings.maxWait());
        String line = said.line();
        if (line != null && !line.equals(CrashWorker.OPENING) && !line.equals(CrashWorker.OPEN)) {
            Acknowledgement acknowledgement = Acknowledgement.ofLine(line);
            if (acknowledgement == null) {
                throw new CrashFailure("Unexpected output of a worker: \"" + line + "\""
                        + said.by().complaint());
            }
            history.add(linesAfterGroup.size(), acknowledgement);
        }
        return said;
    }

    private CrashReport check() throws IOException {
        List<List<EffectFile.Line>> linesByGroup = linesByGroup();
        StoreOpener opener = CrashWorker.opener(settings.opener());
        Path folder = CrashWorker.store(settings.folder());
        try (OnceStore store = opener.open(folder, Time.system())) {
            Checker checker =
                    new Checker(store, new Workload(settings.seed(), store), history, highestAsked, linesByGroup);
            List<String> violations = checker.check();
            if (!violations.isEmpty()) {
                throw new CrashFailure(toText(violations));
            }
            return checker.report(kills, killsWhileOpening);
        }
    }

    private static String toText(List<String> violations) {
        StringBuilder text =
                new StringBuilder(violations.size() == 1 ? "1 violation:" : violations.size() + " violations:");
        violations.stream()
                .limit(MOST_SHOWN)
                .forEach(violation -> text.append("\n- ").append(violation));
        return text.append(violations.size() > MOST_SHOWN ? "\n- …" : "").toString();
    }

    private List<List<EffectFile.Line>> linesByGroup() throws IOException {
        List<EffectFile.Line> all = EffectFile.read(CrashWorker.effects(settings.folder()));
        List<List<EffectFile.Line>> byGroup = new ArrayList<>();
        int from = 0;
        for (int to : linesAfterGroup) {
            byGroup.add(all.subList(from, to));
            from = to;
        }
        return byGroup;
    }
}
