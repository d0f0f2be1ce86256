package dev.semel.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** Runs tasks on several threads at the same time. */
public final class Callers {

    private Callers() {}

    /**
     * Runs a task on each thread, and returns when all have ended.
     *
     * @throws IllegalStateException if a task fails
     */
    public static void run(int threads, Runnable task) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(pool.submit(task));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while measuring", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("A call failed: " + e.getCause(), e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    /** Makes a call for each number from {@code from} to {@code to}, exclusive, on several threads. */
    public static void forEach(int threads, long from, long to, LongConsumer call) {
        AtomicLong next = new AtomicLong(from);
        run(threads, () -> {
            for (long number = next.getAndIncrement(); number < to; number = next.getAndIncrement()) {
                call.accept(number);
            }
        });
    }
}
