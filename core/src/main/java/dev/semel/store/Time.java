package dev.semel.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** A clock and a timer. Everything that waits does so through this, so tests can control the time. */
public interface Time extends InstantSource {

    /** Returns nanoseconds since an arbitrary moment. They never go back, even if the clock is set back. */
    long nanoTime();

    /**
     * Runs a task after a delay, on a thread where it may block.
     *
     * @return cancels the task, if it has not started
     */
    Runnable after(Duration delay, Runnable task);

    /**
     * Waits until a future is complete, normally or not, at most for a given time. A virtual thread that waits holds no platform thread.
     */
    default void await(CompletableFuture<?> event, Duration atMost) throws InterruptedException {
        if (event.isDone() || atMost.isZero() || atMost.isNegative()) {
            return;
        }
        CompletableFuture<Void> timeIsUp = new CompletableFuture<>();
        Runnable cancel = after(atMost, () -> timeIsUp.complete(null));
        try {
            CompletableFuture.anyOf(event, timeIsUp).get();
        } catch (ExecutionException | CancellationException e) {
            return; // the future is complete, and its result does not matter here
        } finally {
            cancel.run();
        }
    }

    /** Pauses the calling thread. */
    default void sleep(Duration pause) throws InterruptedException {
        await(new CompletableFuture<Void>(), pause);
    }

    /** Returns an executor that runs each task on a separate thread, a virtual one where the JVM has them. Tasks may block. */
    static Executor threads() {
        return Threads.EXECUTOR;
    }

    /** Returns the system's clock and timer. */
    static Time system() {
        return SystemTime.INSTANCE;
    }

    /** The system's clock and timer. Tasks run on virtual threads where the JVM has them. */
    final class SystemTime implements Time {

        private static final SystemTime INSTANCE = new SystemTime(Threads.EXECUTOR);

        private static final Duration UNTIL_THERE_IS_A_THREAD = Duration.ofMillis(100);

        /** The longest time that a long holds in nanoseconds. */
        private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

        private final Executor threads;

        SystemTime(Executor threads) {
            this.threads = threads;
        }

        @Override
        public Instant instant() {
            return InstantSource.system().instant();
        }

        @Override
        public long millis() {
            return System.currentTimeMillis();
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Runnable after(Duration delay, Runnable task) {
            Duration bounded = delay.compareTo(FOR_EVER) < 0 ? delay : FOR_EVER;
            CompletableFuture<Boolean> due =
                    new CompletableFuture<Boolean>().completeOnTimeout(true, bounded.toNanos(), TimeUnit.NANOSECONDS);
            var unused = due.thenAccept(isTime -> {
                if (isTime) {
                    run(task);
                }
            });
            // Completed instead of cancelled: cancelling creates exceptions with stack traces.
            return () -> due.complete(false);
        }

        /** Runs a task on a thread. If no thread can be created now, tries again later, so no task is lost. */
        private void run(Runnable task) {
            try {
                threads.execute(task);
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                after(UNTIL_THERE_IS_A_THREAD, task);
            }
        }
    }
}
