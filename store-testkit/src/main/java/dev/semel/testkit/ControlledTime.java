package dev.semel.testkit;

import dev.semel.store.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A clock that advances only when a test advances it. Tasks that become due run in the thread that advances it. {@link #sleep} also
 * advances it, by the length of the pause, and returns at once. Thread-safe.
 */
public final class ControlledTime implements Time {

    private static final Instant START = Instant.parse("2026-01-07T12:00:00Z");

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition scheduled = lock.newCondition();
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::number));
    private Instant now = START;
    private long nanos;
    private long count;

    private record Task(long due, long number, Runnable action) {}

    @Override
    public Instant instant() {
        lock.lock();
        try {
            return now;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long nanoTime() {
        lock.lock();
        try {
            return nanos;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Runnable after(Duration delay, Runnable action) {
        lock.lock();
        try {
            Task task = new Task(nanos + delay.toNanos(), count++, action);
            tasks.add(task);
            scheduled.signalAll();
            return () -> cancel(task);
        } finally {
            lock.unlock();
        }
    }

    private void cancel(Task task) {
        lock.lock();
        try {
            tasks.remove(task);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void sleep(Duration pause) {
        advance(pause);
    }

    /** Advances the time, and runs the tasks that become due, each at its own time. */
    public void advance(Duration step) {
        long end = nanoTime() + step.toNanos();
        for (Runnable due = next(end); due != null; due = next(end)) {
            due.run();
        }
    }

    /** Advances to the next task that is due until {@code end} and returns it; without one, advances to {@code end} and returns null. */
    private @Nullable Runnable next(long end) {
        lock.lock();
        try {
            Task task = tasks.peek();
            boolean isDue = task != null && task.due <= end;
            long moment = Math.max(nanos, isDue ? task.due : end);
            now = now.plusNanos(moment - nanos);
            nanos = moment;
            if (!isDue) {
                return null;
            }
            tasks.remove();
            return task.action;
        } finally {
            lock.unlock();
        }
    }

    /** Sets the wall clock forwards or back, as operators and time servers do. No task becomes due by that. */
    public void setClock(Instant now) {
        lock.lock();
        try {
            this.now = now;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until this many tasks are scheduled, for example until all callers wait.
     *
     * @throws AssertionError if they are not scheduled within 30 seconds of real time
     */
    public void awaitScheduled(int wanted) {
        lock.lock();
        try {
            long left = TimeUnit.SECONDS.toNanos(30);
            while (tasks.size() < wanted) {
                if (left <= 0) {
                    throw new AssertionError("Only " + tasks.size() + " tasks were scheduled, not " + wanted);
                }
                left = scheduled.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } finally {
            lock.unlock();
        }
    }
}
