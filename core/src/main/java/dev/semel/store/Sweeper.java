package dev.semel.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Lets go of what is past its time, now and then: step by step, resting after each nineteen times as long as it worked, so that those
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

    private final Store store;
    private final Time time;
    private final List<Task> tasks;
    private final Consumer<List<Cleanup>> listener;
    private final ReentrantLock sweeping = new ReentrantLock();
    private long begunAt; // guarded by sweeping
    private Runnable next = () -> {};
    private volatile boolean closed;

    /**
     * Something else that is let go with every sweep.
     *
     * @param table what it is called in logs
     * @param step does a little, and returns how much it let go; 0 when there is no more
     */
    public record Task(String table, Supplier<Long> step) {}

    /**
     * @param tasks what else is let go, beside what the store does by itself
     * @param listener hears what each sweep has let go
     */
    public Sweeper(Store store, Time time, List<Task> tasks, Consumer<List<Cleanup>> listener) {
        this.store = store;
        this.time = time;
        this.tasks = List.copyOf(tasks);
        this.listener = listener;
    }

    /**
     * Sweeps every so often, or up to a tenth later, so that servers which were started together do not go on sweeping together: who comes
     * later finds little left. The first time is when the last sweep that anybody has noted was as long ago, or soon if none was.
     */
    public void every(Duration period, Consumer<RuntimeException> failed) {
        sweepAfter(untilNext(period), period, failed);
    }

    private Duration untilNext(Duration period) {
        try {
            List<Cleanup> last = store.housekeeping().cleanups(1);
            Duration left = last.isEmpty()
                    ? Duration.ZERO
                    : period.minus(
                            Duration.between(last.get(0).time(), store.clock().instant()));
            Duration soon = SOON.compareTo(period) < 0 ? SOON : period;
            return left.compareTo(soon) < 0 ? soon : left.compareTo(period) > 0 ? period : left;
        } catch (StoreException e) {
            return period;
        }
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
     * Sweeps now, and notes in the store what was let go. One sweep at a time: who comes meanwhile waits.
     *
     * @return what was let go; not all there was if it was closed or interrupted meanwhile
     * @throws StoreException if the store fails; what was let go until then stays so
     */
    public List<Cleanup> sweep() {
        sweeping.lock();
        try {
            begunAt = time.nanoTime();
            Map<String, Long> deleted = new TreeMap<>();
            try {
                sweepStore(deleted);
                for (Task task : tasks) {
                    sweep(task, deleted);
                }
            } catch (RuntimeException e) {
                noteWhatWasDone(deleted, e);
                throw e;
            }
            return note(deleted);
        } finally {
            sweeping.unlock();
        }
    }

    private List<Cleanup> note(Map<String, Long> deleted) {
        Instant now = store.clock().instant();
        List<Cleanup> cleanups = deleted.entrySet().stream()
                .map(table -> new Cleanup(table.getKey(), table.getValue(), now))
                .toList();
        listener.accept(cleanups);
        store.housekeeping().log(cleanups);
        return cleanups;
    }

    private void noteWhatWasDone(Map<String, Long> deleted, RuntimeException broken) {
        try {
            note(deleted);
        } catch (RuntimeException e) {
            broken.addSuppressed(e);
        }
    }

    private void sweepStore(Map<String, Long> deleted) {
        Optional<String> from = Optional.of("");
        while (from.isPresent() && goesOn()) {
            long begun = time.nanoTime();
            SweepStep step = store.housekeeping().sweep(from.get());
            step.deleted().forEach((table, count) -> deleted.merge(table, count, Long::sum));
            from = step.next();
            rest(begun + step.waited().toNanos());
        }
    }

    private void sweep(Task task, Map<String, Long> deleted) {
        deleted.merge(task.table, 0L, Long::sum);
        long count;
        do {
            long begun = time.nanoTime();
            count = goesOn() ? task.step.get() : 0;
            deleted.merge(task.table, count, Long::sum);
            rest(begun);
        } while (count > 0);
    }

    private void rest(long begun) {
        long now = time.nanoTime();
        boolean behind = now - begunAt > BEHIND.toNanos();
        Duration rest = Duration.ofNanos(now - begun).multipliedBy(behind ? RESTS_BEHIND : RESTS);
        try {
            time.sleep(rest.compareTo(LONGEST_REST) < 0 ? rest : LONGEST_REST);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean goesOn() {
        return !closed && !Thread.currentThread().isInterrupted();
    }

    /** Sweeps no more; a sweep that is under way ends with the step it is at. */
    @Override
    public synchronized void close() {
        closed = true;
        next.run();
    }
}
