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
 * Lets go of what is expired, now and then: step by step, resting after each nineteen times as long as it worked, so that those
 * who use the store meanwhile meet it seldom. A sweep that takes more than an hour rests no longer than it works, or else more might
 * come than goes. Any number of servers may do so at once; what one of them does not come to, it does the next time.
 */
public final class Sweeper implements AutoCloseable {

    /** When everything that comes with a start is over. */
    private static final Duration SOON = Duration.ofMinutes(1);

    private static final int RESTS = 19;
    private static final int RESTS_BEHIND = 1;
    private static final Duration BEHIND = Duration.ofHours(1);
    private static final Duration LONGEST_REST = Duration.ofMillis(500);

    /** So much may go without being noted, if the process is killed. */
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
            new TreeMap<>(); // what has gone, perhaps with a sweep that the store broke off
    private Runnable next = () -> {};
    private volatile boolean closed;

    /**
     * Something else that is let go with every sweep.
     *
     * @param table what it is called in logs
     * @param step does a little, and returns how much it let go; 0 when there is no more
     */
    public record Task(String table, Supplier<Long> step) {}

    /** Hears of sweeps. */
    public interface Listener {

        /**
         * A sweep is over.
         *
         * @param cleanups what it has let go
         * @param complete whether it has gone through everything, or broke off before
         */
        void swept(List<Cleanup> cleanups, boolean complete);
    }

    /** Lets go of what the store does by itself. */
    public Sweeper(StoreAdmin admin, Time time) {
        this(admin, time, List.of(), (cleanups, complete) -> {});
    }

    /** @param tasks what else is let go */
    public Sweeper(StoreAdmin admin, Time time, List<Task> tasks, Listener listener) {
        this.admin = admin;
        this.time = time;
        this.tasks = List.copyOf(tasks);
        this.listener = listener;
    }

    /**
     * Sweeps soon, since a sweep may have been cut off when the store was last in use, and then every so often, or up to a tenth later, so
     * that servers which were started together do not go on sweeping together: who comes later finds little left.
     */
    public void every(Duration period, Consumer<RuntimeException> failed) {
        sweepAfter(SOON.compareTo(period) < 0 ? SOON : period, period, failed);
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
            } finally { // or else it would have been the last
                sweepAfter(period, period, failed);
            }
        });
    }

    /**
     * Sweeps now, and notes in the store what was let go, every minute and at the end. One sweep at a time: who comes meanwhile waits.
     *
     * @return what was let go; not all there was if it was closed or interrupted meanwhile
     * @throws StoreException if the store fails; what was let go until then stays so
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

    /** Or else it is noted later. */
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

    /** Sweeps no more; a sweep that is in progress ends with the step it is at, for which this waits a little. */
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
