package dev.semel.testkit;

import dev.semel.store.Time;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A clock that runs faster than real time, and can be set forward. Tasks that become due by that run at once, as after a computer has slept.
 * Clocks with the same origin, speed and offset agree, also those of several processes. Thread-safe.
 */
public final class ScaledTime implements Time {

    private static final Time REAL = Time.system();
    private static final double NANOS_PER_SECOND = 1e9;

    private final Instant origin;
    private final double speed;
    private final Set<Task> pending = ConcurrentHashMap.newKeySet();
    private Duration offset;

    /**
     * Creates a clock.
     *
     * @param origin the moment at which it shows the real time, plus the offset
     * @param speed how many seconds pass on it in a real second
     * @param offset how far it has been set forward before
     */
    public ScaledTime(Instant origin, double speed, Duration offset) {
        this.origin = origin;
        this.speed = speed;
        this.offset = offset;
    }

    /** A task that is not yet due. */
    private final class Task {

        private final long dueNanos;
        private final Runnable action;
        private Runnable timer = () -> {};

        Task(long dueNanos, Runnable action) {
            this.dueNanos = dueNanos;
            this.action = action;
        }

        /** Sets the timer, again after the clock was set. */
        synchronized void schedule() {
            timer.run();
            long left = (long) ((dueNanos - nanoTime()) / speed);
            timer = REAL.after(Duration.ofNanos(Math.max(0, left)), this::run);
        }

        private void run() {
            if (pending.remove(this)) {
                action.run();
            }
        }

        synchronized void cancel() {
            pending.remove(this);
            timer.run();
        }
    }

    @Override
    public Instant instant() {
        Duration real = Duration.between(origin, InstantSource.system().instant());
        double seconds = real.toSeconds() * speed;
        long whole = (long) seconds;
        long nanos = (long) ((seconds - whole) * NANOS_PER_SECOND + real.toNanosPart() * speed);
        return origin.plusSeconds(whole).plusNanos(nanos).plus(offset());
    }

    @Override
    public long nanoTime() {
        return (long) (System.nanoTime() * speed) + offset().toNanos();
    }

    private synchronized Duration offset() {
        return offset;
    }

    @Override
    public Runnable after(Duration delay, Runnable action) {
        Task task = new Task(nanoTime() + delay.toNanos(), action);
        pending.add(task);
        task.schedule();
        return task::cancel;
    }

    /** Sets the clock forward. */
    public void advance(Duration step) {
        synchronized (this) {
            offset = offset.plus(step);
        }
        pending.forEach(Task::schedule);
    }
}
