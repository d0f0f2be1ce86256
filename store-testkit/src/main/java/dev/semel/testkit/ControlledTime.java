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
 * A time that stands still until a test moves it. What is due runs in the thread that moves it. Whoever sleeps moves it too, by as
 * much as they meant to sleep, so that pauses take no time.
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

    /** Moves the time on, running what is due on the way. */
    public void advance(Duration step) {
        long end = nanoTime() + step.toNanos();
        for (Runnable due = next(end); due != null; due = next(end)) {
            due.run();
        }
    }

    /** Moves on to the next task that is due by some moment, or else to that moment. */
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

    /** Sets the clock, forwards or back, as operators and time servers do. Nothing becomes due by that. */
    public void setClock(Instant now) {
        lock.lock();
        try {
            this.now = now;
        } finally {
            lock.unlock();
        }
    }

    /** Waits, in real time, until so many tasks are scheduled: until those who are to wait do wait. */
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
