package dev.semel.store.admin;

import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.StoreAdmin.SweepStep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Deletes expired data from a store at intervals. A sweep proceeds in small steps and rests after each for nineteen times as long as the
 * step took, up to half a second, so calls seldom meet it. A sweep that has run for more than an hour rests only as long as it works, since
 * otherwise data might expire faster than it is deleted. Any number of servers may sweep a store at once.
 */
public final class Sweeper implements AutoCloseable {

    /** Delay of the first sweep, so that it does not coincide with the load of a start. */
    private static final Duration SOON = Duration.ofMinutes(1);

    private static final int RESTS = 19;
    private static final int RESTS_BEHIND = 1;
    private static final Duration BEHIND = Duration.ofHours(1);
    private static final Duration LONGEST_PERIOD = Duration.ofDays(36_525);
    private static final Duration LONGEST_REST = Duration.ofMillis(500);

    /** Interval between entries of the cleanup log within a sweep. A killed process loses the counts of one interval. */
    private static final Duration BETWEEN_NOTES = Duration.ofMinutes(1);

    private static final long LAST_STEP_SECONDS = 2;

    private final StoreAdmin admin;
    private final Time time;
    private final List<Task> tasks;
    private final Listener listener;
    private final ReentrantLock sweeping = new ReentrantLock();
    private long startedAt; // guarded by sweeping, as are the next two
    private long notedAt;
    private final Map<String, Long> unnoted =
            new TreeMap<>(); // deleted but not logged yet, perhaps by an earlier sweep
    private Runnable next = () -> {};
    private volatile boolean closed;

    /**
     * An additional cleanup that is part of every sweep.
     *
     * @param table name in the cleanup log
     * @param step deletes a few rows, and returns how many; 0 if none is left
     */
    public record Task(String table, Supplier<Long> step) {}

    /** Receives the results of sweeps. */
    public interface Listener {

        /**
         * Called when a sweep has ended.
         *
         * @param cleanups what the sweep has deleted
         * @param complete whether it swept everything; false if it failed or was interrupted
         */
        void swept(List<Cleanup> cleanups, boolean complete);
    }

    /** Sweeps the expired data of a store. */
    public Sweeper(StoreAdmin admin, Time time) {
        this(admin, time, List.of(), (cleanups, complete) -> {});
    }

    /**
     * Sweeps the expired data of a store, and runs additional tasks.
     *
     * @param tasks run in each sweep, after the store was swept
     */
    public Sweeper(StoreAdmin admin, Time time, List<Task> tasks, Listener listener) {
        this.admin = admin;
        this.time = time;
        this.tasks = List.copyOf(tasks);
        this.listener = listener;
    }

    /**
     * Sweeps at intervals. The first sweep follows after at most a minute, since the last one may have been cut off when the process ended.
     * Each interval is extended by a random part of up to a tenth, so that servers that were started together do not sweep together.
     *
     * @param period the interval; one of more than a hundred years counts as a hundred years
     * @param failed called with the exception of a sweep that failed
     */
    public void every(Duration period, Consumer<RuntimeException> failed) {
        Duration bounded = period.compareTo(LONGEST_PERIOD) < 0 ? period : LONGEST_PERIOD;
        sweepAfter(SOON.compareTo(bounded) < 0 ? SOON : bounded, bounded, failed);
    }

    private synchronized void sweepAfter(Duration pause, Duration period, Consumer<RuntimeException> failed) {
        if (closed) {
            return;
        }
        long later = ThreadLocalRandom.current().nextLong(pause.dividedBy(10).toNanos() + 1);
        next = time.after(pause.plusNanos(later), () -> {
            try {
                sweep();
            } catch (RuntimeException e) {
                failed.accept(e);
            } finally { // schedule the next sweep whatever this one threw
                sweepAfter(period, period, failed);
            }
        });
    }

    /**
     * Sweeps now. Writes to the cleanup log every minute and at the end. If a sweep is in progress, waits for it first.
     *
     * @return what was deleted; not all that has expired if the sweeper was closed or the thread interrupted
     * @throws StoreException if the store fails; what was deleted before stays deleted
     */
    public List<Cleanup> sweep() {
        sweeping.lock();
        try {
            startedAt = time.nanoTime();
            notedAt = startedAt;
            Map<String, Long> deleted = new TreeMap<>();
            try {
                sweepStore(deleted);
                for (Task task : tasks) {
                    sweep(task, deleted);
                }
            } catch (RuntimeException e) {
                endBrokenOff(deleted, e);
                throw e;
            }
            return end(deleted, goesOn());
        } finally {
            sweeping.unlock();
        }
    }

    private List<Cleanup> end(Map<String, Long> deleted, boolean complete) {
        List<Cleanup> cleanups = cleanups(deleted);
        listener.swept(cleanups, complete);
        deleted.keySet().forEach(table -> unnoted.putIfAbsent(table, 0L));
        note();
        return cleanups;
    }

    private void endBrokenOff(Map<String, Long> deleted, RuntimeException broken) {
        try {
            end(deleted, false);
        } catch (RuntimeException e) {
            broken.addSuppressed(e);
        }
    }

    private List<Cleanup> cleanups(Map<String, Long> counts) {
        Instant now = admin.clock().instant();
        return counts.entrySet().stream()
                .map(table -> new Cleanup(table.getKey(), table.getValue(), now))
                .toList();
    }

    private void note() {
        admin.log(cleanups(unnoted));
        unnoted.clear();
        notedAt = time.nanoTime();
    }

    /** Writes to the cleanup log; if the store fails, the counts are logged later. */
    private void noteIfItCanBe(long now) {
        try {
            note();
        } catch (StoreException e) {
            notedAt = now;
        }
    }

    private void count(String table, long count, Map<String, Long> deleted) {
        deleted.merge(table, count, Long::sum);
        if (count > 0) {
            unnoted.merge(table, count, Long::sum);
        }
    }

    private void sweepStore(Map<String, Long> deleted) {
        Optional<String> from = Optional.of("");
        while (from.isPresent() && goesOn()) {
            long startedStep = time.nanoTime();
            SweepStep step = admin.sweep(from.get());
            step.deleted().forEach((table, count) -> count(table, count, deleted));
            from = step.next();
            rest(startedStep + step.waited().toNanos());
        }
    }

    private void sweep(Task task, Map<String, Long> deleted) {
        long count;
        do {
            long startedStep = time.nanoTime();
            count = goesOn() ? task.step.get() : 0;
            count(task.table, count, deleted);
            rest(startedStep);
        } while (count > 0);
    }

    private void rest(long startedStep) {
        long now = time.nanoTime();
        if (now - notedAt > BETWEEN_NOTES.toNanos() && !unnoted.isEmpty()) {
            noteIfItCanBe(now);
        }
        boolean behind = now - startedAt > BEHIND.toNanos();
        Duration rest = Duration.ofNanos(now - startedStep).multipliedBy(behind ? RESTS_BEHIND : RESTS);
        try {
            time.sleep(rest.compareTo(LONGEST_REST) < 0 ? rest : LONGEST_REST);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean goesOn() {
        return !closed && !Thread.currentThread().isInterrupted();
    }

    /** Ends all sweeps. A sweep in progress ends after its current step; this waits for it for up to two seconds. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            next.run();
        }
        try {
            if (sweeping.tryLock(LAST_STEP_SECONDS, TimeUnit.SECONDS)) {
                sweeping.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
