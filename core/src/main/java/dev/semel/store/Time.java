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

/** What time it is, and how to wait. Everything that waits does so through this, so that tests can set the pace. */
public interface Time extends InstantSource {

    /** Nanoseconds since some moment: never goes back, whatever the clock does. */
    long nanoTime();

    /**
     * Runs a task after a delay, on a thread of its own where it may block.
     *
     * @return what takes the order back, if the task has not begun
     */
    Runnable after(Duration delay, Runnable task);

    /** Waits for an event, however it ends, but not longer than told. A virtual thread that waits holds no platform thread. */
    default void await(CompletableFuture<?> event, Duration atMost) throws InterruptedException {
        if (event.isDone() || atMost.isZero() || atMost.isNegative()) {
            return;
        }
        CompletableFuture<Void> timeIsUp = new CompletableFuture<>();
        Runnable cancel = after(atMost, () -> timeIsUp.complete(null));
        try {
            CompletableFuture.anyOf(event, timeIsUp).get();
        } catch (ExecutionException | CancellationException e) {
            return; // the event has come, and how it ended is not asked here
        } finally {
            cancel.run();
        }
    }

    /** Waits. */
    default void sleep(Duration pause) throws InterruptedException {
        await(new CompletableFuture<Void>(), pause);
    }

    /** Runs each task on a thread of its own, a virtual one where the JVM has them, so that tasks may block. */
    static Executor threads() {
        return Threads.EXECUTOR;
    }

    /** The system's time. */
    static Time system() {
        return SystemTime.INSTANCE;
    }

    /** The system's time; tasks run on virtual threads where the JVM has them. */
    final class SystemTime implements Time {

        private static final SystemTime INSTANCE = new SystemTime(Threads.EXECUTOR);

        private static final Duration UNTIL_THERE_IS_A_THREAD = Duration.ofMillis(100);

        /** As long as can be counted in nanoseconds. */
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
            // Not cancelled, which would make exceptions with their stack traces.
            return () -> due.complete(false);
        }

        /** Where no thread is to be had at the moment, it comes later: nothing that was ordered is lost. */
        private void run(Runnable task) {
            try {
                threads.execute(task);
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                after(UNTIL_THERE_IS_A_THREAD, task);
            }
        }
    }
}
