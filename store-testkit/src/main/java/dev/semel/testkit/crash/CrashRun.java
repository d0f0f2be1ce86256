package dev.semel.testkit.crash;

import dev.semel.store.Store;
import dev.semel.store.Time;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Kills a process that runs once-operations on a store, as {@code kill -9} does; starts it again, to go on with what it has not
 * acknowledged and a little before; and so on. A last worker is left in peace, and brings everything to its end; then what is there
 * is compared with what was acknowledged.
 *
 * <p>What has to hold:
 *
 * <ul>
 *   <li>each operation was executed once and answered the same each time, and so its record says;
 *   <li>an atomic one has exactly one document, found by its key and by its further key, and is counted once; no document is without
 *       its record;
 *   <li>a leased one has the answer of its run with the highest fence; one that must not be run again ran at most once;
 *   <li>no fence is given twice, and all that are given after a kill are higher than all before.
 * </ul>
 *
 * <p>The seed repeats which operations are atomic, run again or frozen and what they count; from where each worker goes on,
 * relative to what is acknowledged; and of each kill whether it comes while the store is opened or after how many
 * acknowledgements, and how much later. What the machine does in that time it does not repeat: threads take turns as they like. A kill loses nothing
 * that the operating system has taken over: whether a store has also waited for the disk has to be looked at in other ways.
 */
public final class CrashRun {

    private static final int KILLED = 128 + 9;

    private static final int MOST_ACKNOWLEDGEMENTS = 250;
    private static final long LONGEST_DELAY_NANOS = 3_000_000;
    private static final int MOST_ASKED_AGAIN = 30;
    private static final int MOST_SHOWN = 10;

    private final CrashSettings settings;
    private final SplittableRandom random;
    private final History history = new History();
    private final List<Integer> linesAfterLife = new ArrayList<>();
    private long highestAsked;
    private long openingNanos = 200_000_000;
    private int kills;
    private int killsWhileOpening;

    public CrashRun(CrashSettings settings) {
        this.settings = settings;
        this.random = new SplittableRandom(settings.seed());
    }

    /** When a worker is killed: some time after the store begins to be opened, or after so many acknowledgements. */
    private record Plan(boolean whileOpening, double ofOpening, int acknowledgements, long delayNanos) {

        static Plan draw(SplittableRandom random) {
            return new Plan(
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
            for (int i = 0; i < settings.kills(); i++) {
                runAndKill(Plan.draw(random));
                progress.accept(new CrashReport(
                        kills, killsWhileOpening, history.operations(), history.acknowledgements(), 0, 0, 0, 0));
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

    private void runAndKill(Plan plan) throws IOException, InterruptedException {
        long first = Math.max(1, history.firstOpen() - random.nextInt(MOST_ASKED_AGAIN));
        try (Life life = start(first, Long.MAX_VALUE)) {
            awaitMoment(life, plan);
            life.kill();
            boolean open = takeInTheRest(life);
            int status = life.exitStatus();
            if (status != KILLED) {
                throw diedByItself(life, status);
            }
            kills++;
            killsWhileOpening += plan.whileOpening && !open ? 1 : 0;
        }
        endLife(first);
    }

    private void runToTheEnd() throws IOException, InterruptedException {
        highestAsked = Math.max(highestAsked, history.firstOpen() + MOST_ACKNOWLEDGEMENTS);
        try (Life life = start(history.firstOpen(), highestAsked)) {
            takeInTheRest(life);
            int status = life.exitStatus();
            if (status != 0) {
                throw diedByItself(life, status);
            }
        }
        countLines();
    }

    private static CrashFailure diedByItself(Life life, int status) {
        return new CrashFailure("The worker ended by itself with status " + status + life.complaint());
    }

    private Life start(long first, long last) throws IOException {
        return Life.start(new CrashWorker.Arguments(
                settings.opener().getName(),
                settings.folder(),
                settings.seed(),
                first,
                last,
                settings.callers(),
                settings.lease()));
    }

    /** Each caller has one operation under way, the highest of which follows the highest that is done. */
    private void endLife(long first) throws IOException {
        highestAsked = Math.max(highestAsked, Math.max(first - 1, history.highest()) + settings.callers());
        countLines();
    }

    private void countLines() throws IOException {
        linesAfterLife.add(EffectFile.count(CrashWorker.effects(settings.folder())));
    }

    /** Returns when it is time to kill. */
    private void awaitMoment(Life life, Plan plan) throws InterruptedException {
        awaitLine(life, CrashWorker.OPENING);
        long begun = System.nanoTime();
        if (plan.whileOpening) {
            pauseUntil(begun + (long) (plan.ofOpening * openingNanos));
            return;
        }
        awaitLine(life, CrashWorker.OPEN);
        openingNanos = System.nanoTime() - begun;
        for (int left = plan.acknowledgements; left > 0; left--) {
            String line = life.next(settings.patience())
                    .orElseThrow(() -> new CrashFailure("The worker ended by itself" + life.complaint()));
            add(line, life);
        }
        pauseUntil(System.nanoTime() + plan.delayNanos);
    }

    private void awaitLine(Life life, String expected) throws InterruptedException {
        Optional<String> line = life.next(settings.patience());
        if (!line.equals(Optional.of(expected))) {
            throw new CrashFailure("The worker has said " + line + ", not \"" + expected + "\"" + life.complaint());
        }
    }

    private static void pauseUntil(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Reads on to the end, and returns whether the store was open by then. */
    private boolean takeInTheRest(Life life) throws InterruptedException {
        boolean open = false;
        for (Optional<String> line = life.next(settings.patience());
                line.isPresent();
                line = life.next(settings.patience())) {
            if (line.get().equals(CrashWorker.OPEN)) {
                open = true;
            } else if (!line.get().equals(CrashWorker.OPENING)) {
                add(line.get(), life);
            }
        }
        return open;
    }

    private void add(String line, Life life) {
        Acknowledgement acknowledgement = Acknowledgement.ofLine(line);
        if (acknowledgement == null) {
            throw new CrashFailure("The worker has said \"" + line + "\"" + life.complaint());
        }
        history.add(linesAfterLife.size(), acknowledgement);
    }

    private CrashReport check() throws IOException {
        List<List<EffectFile.Line>> linesByLife = linesByLife();
        StoreOpener opener = CrashWorker.opener(settings.opener());
        Path folder = CrashWorker.store(settings.folder());
        try (Store store = opener.open(folder, Time.system())) {
            Checker checker = new Checker(store, new Workload(settings.seed()), history, highestAsked, linesByLife);
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

    private List<List<EffectFile.Line>> linesByLife() throws IOException {
        List<EffectFile.Line> all = EffectFile.read(CrashWorker.effects(settings.folder()));
        List<List<EffectFile.Line>> byLife = new ArrayList<>();
        int from = 0;
        for (int to : linesAfterLife) {
            byLife.add(all.subList(from, to));
            from = to;
        }
        return byLife;
    }
}
