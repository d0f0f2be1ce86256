package dev.semel.bench.sweep;

import dev.semel.bench.Latencies;
import dev.semel.bench.Payments;
import dev.semel.store.Cleanup;
import dev.semel.store.Housekeeping;
import dev.semel.store.Store;
import dev.semel.store.Sweeper;
import dev.semel.store.Time;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls that come at a steady rate, before and while keys are swept. A call's time counts from when it was to begin, so that calls
 * which wait for others count for as long as their callers feel it.
 */
final class SweepRun {

    private static final PrintStream PROGRESS = System.err;
    private static final int CALLERS = 16;
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    /**
     * How much is measured.
     *
     * @param keys how many are swept
     * @param rate calls in a second
     * @param quiet how long calls are measured without a sweep
     */
    record Effort(long keys, int rate, Duration quiet) {}

    /**
     * What was measured.
     *
     * @param swept how many answers went
     * @param seconds how long that took
     */
    record Figures(String name, Latencies quiet, Latencies sweeping, long swept, double seconds) {}

    private final String name;
    private final Effort effort;

    SweepRun(String name, Effort effort) {
        this.name = name;
        this.effort = effort;
    }

    private void say(String what) {
        PROGRESS.printf("\r%-78s", name + ": " + what);
    }

    /** Puts keys into a store that are past their time at once. */
    void fill(Store store) {
        Payments expired = new Payments(store, AT_ONCE);
        AtomicLong left = new AtomicLong(effort.keys);
        together(CALLERS, () -> {
            for (long now = left.getAndDecrement(); now > 0; now = left.getAndDecrement()) {
                expired.pay();
                if (now % 10_000 == 0) {
                    say("filling, keys left: " + now);
                }
            }
            return true;
        });
    }

    Figures run(Store store) {
        Payments payments = new Payments(store);
        say("warming up");
        call(payments, () -> false);
        say("calls alone");
        Latencies quiet = call(payments, () -> false);
        say("calls beside a sweep");
        long begun = System.nanoTime();
        CompletableFuture<List<Cleanup>> sweep =
                CompletableFuture.supplyAsync(new Sweeper(store, Time.system(), List.of(), cleanups -> {})::sweep);
        AtomicLong ended = new AtomicLong();
        CompletableFuture<Void> noted = sweep.thenRun(() -> ended.set(System.nanoTime()));
        Latencies sweeping = call(payments, () -> !noted.isDone());
        noted.join();
        PROGRESS.println();
        long swept = sweep.join().stream()
                .filter(cleanup -> cleanup.table().equals(Housekeeping.KEYS))
                .mapToLong(Cleanup::deleted)
                .sum();
        return new Figures(name, quiet, sweeping, swept, (ended.get() - begun) / 1e9);
    }

    /** Something that may go on. */
    private interface Condition {
        boolean holds();
    }

    /** Calls for as long as is said, and then for as long as something holds; but no longer than that if it holds no more. */
    private Latencies call(Payments payments, Condition goOn) {
        long begun = System.nanoTime();
        long atLeast = goOn.holds() ? 0 : effort.quiet.toNanos();
        long step = Duration.ofSeconds(CALLERS).toNanos() / effort.rate;
        AtomicLong callers = new AtomicLong();
        Latencies all = new Latencies();
        together(CALLERS, () -> {
            Latencies mine = new Latencies();
            long due = begun + callers.getAndIncrement() * step / CALLERS;
            while (due - begun < atLeast || goOn.holds()) {
                while (System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                payments.pay();
                mine.add(System.nanoTime() - due);
                due += step;
            }
            synchronized (all) {
                all.addAll(mine);
            }
            return true;
        });
        return all;
    }

    private static void together(int threads, Callable<Boolean> task) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Boolean>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(pool.submit(task));
            }
            for (Future<Boolean> each : running) {
                each.get();
            }
        } catch (Exception e) {
            throw new IllegalStateException("A call failed", e);
        } finally {
            pool.shutdownNow();
        }
    }
}
