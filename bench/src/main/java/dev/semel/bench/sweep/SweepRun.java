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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Calls that come at a steady rate, and keys that are swept beside them now and then: in every other slice of time the sweep rests, so
 * that calls with it and without it meet the same machine, and as often when it stalls. A call's time counts from when it was to begin, so that calls which wait for
 * others count for as long as their callers feel it.
 */
final class SweepRun {

    private static final PrintStream PROGRESS = System.err;
    private static final int CALLERS = 16;
    private static final int IN_A_ROUND = 2;
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    /**
     * How much is measured.
     *
     * @param keys how many are swept
     * @param rate calls in a second
     * @param slice how long the sweep rests; then it goes on for as long
     */
    record Effort(long keys, int rate, Duration slice) {}

    /** What calls took in a slice without the sweep, and in the one with it that followed. */
    record Round(Latencies quiet, Latencies sweeping) {

        Round() {
            this(new Latencies(), new Latencies());
        }

        void addAll(Round other) {
            quiet.addAll(other.quiet);
            sweeping.addAll(other.sweeping);
        }

        double ratio(double share) {
            return sweeping.quantile(share) / quiet.quantile(share);
        }
    }

    /**
     * What was measured.
     *
     * @param swept how many answers went
     * @param seconds how long that took, without the slices in which the sweep rested
     */
    record Figures(String name, List<Round> rounds, long swept, double seconds) {

        /** All rounds as one. */
        Round all() {
            Round all = new Round();
            rounds.forEach(all::addAll);
            return all;
        }

        /**
         * By how much calls were slower beside the sweep.
         *
         * @param share of the calls
         * @param ofRounds in which share of the rounds by no more than that
         */
        double ratio(double share, double ofRounds) {
            return quantile(rounds.stream().mapToDouble(round -> round.ratio(share)), ofRounds);
        }

        /** The same of slices without the sweep, each to the one before: what the machine does by itself. There have to be two. */
        double noise(double share, double ofRounds) {
            return quantile(
                    IntStream.range(1, rounds.size())
                            .mapToDouble(i -> rounds.get(i).quiet.quantile(share)
                                    / rounds.get(i - 1).quiet.quantile(share)),
                    ofRounds);
        }

        private static double quantile(DoubleStream values, double share) {
            double[] sorted = values.sorted().toArray();
            double place = share * (sorted.length - 1);
            double below = sorted[(int) place];
            return below + (sorted[(int) Math.ceil(place)] - below) * (place - (int) place);
        }
    }

    /** The slices, from some moment on: first a quiet one. */
    private record Slices(long begun, long length) {

        long at(long nanos) {
            return (nanos - begun) / length;
        }

        static boolean isQuiet(long slice) {
            return slice % IN_A_ROUND == 0;
        }

        /** How long there is still quiet. */
        Duration quietLeft(long nanos) {
            long slice = at(nanos);
            return isQuiet(slice) ? Duration.ofNanos(begun + (slice + 1) * length - nanos) : Duration.ZERO;
        }
    }

    /** The system's time; but who waits, waits until nobody wants quiet. */
    private record SliceTime(Slices slices) implements Time {

        @Override
        public Instant instant() {
            return Time.system().instant();
        }

        @Override
        public long nanoTime() {
            return Time.system().nanoTime();
        }

        @Override
        public Runnable after(Duration delay, Runnable task) {
            return Time.system().after(delay, task);
        }

        @Override
        public void sleep(Duration pause) throws InterruptedException {
            Time.system().sleep(pause);
            Time.system().sleep(slices.quietLeft(nanoTime()));
        }
    }

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

    /** The first round warms everything up, and counts only if there is no other. */
    Figures run(Store store) {
        Payments payments = new Payments(store);
        long length = effort.slice.toNanos();
        Slices slices = new Slices(System.nanoTime() + length, length); // before the first of them, calls come alone
        AtomicLong end = new AtomicLong(Long.MAX_VALUE);
        CompletableFuture<List<Cleanup>> sweep = CompletableFuture.supplyAsync(() -> sweep(store, slices, end));
        List<Round> rounds = call(payments, slices, end);
        PROGRESS.println();
        long swept = sweep.join().stream()
                .filter(cleanup -> cleanup.table().equals(Housekeeping.KEYS))
                .mapToLong(Cleanup::deleted)
                .sum();
        long lastSlice = slices.at(end.get());
        long inLastSlice = Slices.isQuiet(lastSlice) ? 0 : (end.get() - slices.begun) % length;
        long whole = lastSlice - (lastSlice + IN_A_ROUND - 1) / IN_A_ROUND;
        double seconds = (whole * length + inLastSlice) / 1e9;
        return new Figures(name, rounds.size() > 1 ? rounds.subList(1, rounds.size()) : rounds, swept, seconds);
    }

    /** @param end is told when it is over */
    private static List<Cleanup> sweep(Store store, Slices slices, AtomicLong end) {
        try (Sweeper sweeper = new Sweeper(store, new SliceTime(slices))) {
            Time.system().sleep(Duration.ofNanos(slices.begun + slices.length - System.nanoTime()));
            return sweeper.sweep();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while sweeping", e);
        } finally {
            end.set(System.nanoTime());
        }
    }

    /** Calls until the end, and for as long as it takes to have a round. */
    private List<Round> call(Payments payments, Slices slices, AtomicLong end) {
        long step = Duration.ofSeconds(CALLERS).toNanos() / effort.rate;
        long first = System.nanoTime();
        AtomicLong callers = new AtomicLong();
        List<Round> all = new ArrayList<>();
        together(CALLERS, () -> {
            List<Round> mine = new ArrayList<>();
            long due = first + callers.getAndIncrement() * step / CALLERS;
            while (due < end.get() || slices.at(due) < IN_A_ROUND) {
                while (System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                payments.pay();
                if (due >= slices.begun && due < end.get()) {
                    add(mine, slices.at(due), System.nanoTime() - due);
                }
                due += step;
            }
            synchronized (all) {
                for (int i = 0; i < mine.size(); i++) {
                    roundOf(all, i).addAll(mine.get(i));
                }
            }
            return true;
        });
        return all.subList(0, (int) Math.max(1, slices.at(end.get()) / IN_A_ROUND));
    }

    private void add(List<Round> rounds, long slice, long nanos) {
        boolean isNew = slice / IN_A_ROUND >= rounds.size();
        Round round = roundOf(rounds, (int) (slice / IN_A_ROUND));
        (Slices.isQuiet(slice) ? round.quiet : round.sweeping).add(nanos);
        if (isNew) {
            say("round " + rounds.size() + " of calls, beside the sweep and without");
        }
    }

    private static Round roundOf(List<Round> rounds, int number) {
        while (rounds.size() <= number) {
            rounds.add(new Round());
        }
        return rounds.get(number);
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
