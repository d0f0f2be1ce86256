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
 * Kills a process that runs operations on a store, as {@code kill -9} does; starts it again, to go on with what it has not
 * acknowledged and a little before; and so on. A last worker is left in peace, and brings everything to its end; then what is there
 * is compared with what was acknowledged. A store that several processes share has several workers, which race on the same operations;
 * and what it stands on may {@linkplain Fault fail} while they do.
 *
 * <p>What has to hold:
 *
 * <ul>
 *   <li>each operation was executed once and answered the same each time, and so its record says;
 *   <li>an atomic one has exactly one document, found by its key and by its index entry, and is counted once; no document is without
 *       its record;
 *   <li>a leased one has the response of its run with the highest fencing token; one that must not be run again ran at most once;
 *   <li>the fencing tokens of an operation are distinct, and those given after a kill are higher than those before.
 * </ul>
 *
 * <p>The seed repeats which operations are atomic, run again or frozen and what they count; from where each worker goes on,
 * relative to what is acknowledged; and of each kill what it hits, whether it comes while the store is opened or after how many
 * acknowledgements, and how much later. What the machine does in that time it does not repeat: threads take turns as they like. A kill loses nothing
 * that the operating system has taken over: whether a store has also waited for the disk has to be looked at in other ways.
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

    /** When something is killed: some time after the store begins to be opened, or after so many acknowledgements. */
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
     * Runs to the end.
     *
     * @param progress told after each kill, of what is not checked yet
     * @throws CrashFailure if something does not hold, or if a worker hangs or dies by itself; says what, and the seed
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

    /** As {@link #run(Consumer)}, without a word in between. */
    public CrashReport run() {
        return run(report -> {});
    }

    private CrashFailure failure(CrashFailure cause) {
        CrashFailure failure = new CrashFailure("Seed " + settings.seed() + ", after " + kills + " kills, in "
                + settings.folder() + ": " + cause.getMessage());
        failure.setStackTrace(cause.getStackTrace());
        return failure;
    }

    /** Ends when all workers are killed: so what comes after it comes after all of this. */
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

    /** Where there are faults, two of three kills are one. */
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

    /** Each caller has one operation in progress, the highest of which follows the highest that is done. */
    private void endGroup(long first) throws IOException {
        highestAsked = Math.max(highestAsked, Math.max(first - 1, history.highest()) + settings.callers());
        countLines();
    }

    private void countLines() throws IOException {
        linesAfterGroup.add(EffectFile.count(CrashWorker.effects(settings.folder())));
    }

    /** Returns when it is time to kill, and all that was said until then is heard. */
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

    /** Takes in what somebody says who must not end by itself. */
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

    /** Reads on to the end. */
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
                throw new CrashFailure(
                        "The worker has said \"" + line + "\"" + said.by().complaint());
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
        StringBuilder text = new StringBuilder(
                        violations.size() == 1 ? "1 thing does" : violations.size() + " things do")
                .append(" not hold:");
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
