package dev.semel.bench.sweep;

import dev.semel.bench.Callers;
import dev.semel.bench.Latencies;
import dev.semel.bench.Payments;
import dev.semel.bench.Progress;
import dev.semel.store.Time;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.DocumentStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Makes calls at a steady rate, while a sweep runs in every other slice of time. So calls with and without the sweep run under the same
 * conditions. The latency of a call counts from when it was due, so it includes waiting for other calls.
 */
final class SweepRun {

    private static final int CALLERS = 16;
    private static final int IN_A_ROUND = 2;
    private static final Duration SHORTEST = Duration.ofMillis(1);

    /**
     * The size of a run.
     *
     * @param keys number of keys to sweep
     * @param rate calls per second
     * @param slice time for which the sweep pauses, and then runs
     */
    record Effort(long keys, int rate, Duration slice) {}

    /** Latencies of the calls in a slice without the sweep, and in the next one with it. */
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
     * The figures of a run.
     *
     * @param swept number of responses that were deleted
     * @param seconds duration of the sweep, without the slices in which it paused
     */
    record Figures(String name, List<Round> rounds, long swept, double seconds) {

        /** Returns all rounds as one. */
        Round all() {
            Round all = new Round();
            rounds.forEach(all::addAll);
            return all;
        }

        /**
         * Returns the latency with the sweep, divided by that without it.
         *
         * @param share quantile of the latency
         * @param ofRounds quantile of the ratio over the rounds
         */
        double ratio(double share, double ofRounds) {
            return quantile(rounds.stream().mapToDouble(round -> round.ratio(share)), ofRounds);
        }

        /** Returns the same ratio for slices without the sweep, each compared with the last: the noise of the machine. Needs two rounds. */
        double noise(double share, double ofRounds) {
            return quantile(
                    IntStream.range(1, rounds.size())
                            .mapToDouble(i -> rounds.get(i).quiet.quantile(share)
                                    / rounds.get(i - 1).quiet.quantile(share)),
                    ofRounds);
        }

        private static double quantile(DoubleStream values, double share) {
            double[] sorted = values.sorted().toArray();
            double index = share * (sorted.length - 1);
            double below = sorted[(int) index];
            return below + (sorted[(int) Math.ceil(index)] - below) * (index - (int) index);
        }
    }

    /** Slices of time. The first is without the sweep. */
    private record Slices(long startedAt, long length) {

        long at(long nanos) {
            return (nanos - startedAt) / length;
        }

        static boolean isQuiet(long slice) {
            return slice % IN_A_ROUND == 0;
        }

        /** Returns the time for which the sweep has to pause. */
        Duration quietLeft(long nanos) {
            long slice = at(nanos);
            return isQuiet(slice) ? Duration.ofNanos(startedAt + (slice + 1) * length - nanos) : Duration.ZERO;
        }
    }

    /** System time whose pauses end only when the sweep may run. */
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

    /** Fills a store with keys that expire at once. */
    void fill(DocumentStore store) {
        Payments expired = new Payments(store, SHORTEST);
        Callers.forEach(CALLERS, 0, effort.keys, number -> {
            expired.pay();
            if (number % 10_000 == 0) {
                Progress.show("%s: filling: %,d of %,d keys", name, number, effort.keys);
            }
        });
    }

    /** Runs calls and the sweep. The first round is a warm-up, and counts only if there is no other. */
    <S extends DocumentStore & AdminStore> Figures run(S store) {
        Payments payments = new Payments(store);
        long length = effort.slice.toNanos();
        Slices slices = new Slices(System.nanoTime() + length, length); // until the first slice, only calls run
        AtomicLong end = new AtomicLong(Long.MAX_VALUE);
        CompletableFuture<List<Cleanup>> sweep = CompletableFuture.supplyAsync(() -> sweep(store.admin(), slices, end));
        List<Round> rounds = call(payments, slices, end);
        long swept = sweep.join().stream()
                .filter(cleanup -> cleanup.table().equals(StoreAdmin.KEYS))
                .mapToLong(Cleanup::deleted)
                .sum();
        long lastSlice = slices.at(end.get());
        long inLastSlice = Slices.isQuiet(lastSlice) ? 0 : (end.get() - slices.startedAt) % length;
        long whole = lastSlice - (lastSlice + IN_A_ROUND - 1) / IN_A_ROUND;
        double seconds = (whole * length + inLastSlice) / 1e9;
        return new Figures(name, rounds.size() > 1 ? rounds.subList(1, rounds.size()) : rounds, swept, seconds);
    }

    /** @param end receives the time when the sweep ends */
    private static List<Cleanup> sweep(StoreAdmin admin, Slices slices, AtomicLong end) {
        try (Sweeper sweeper = new Sweeper(admin, new SliceTime(slices))) {
            Time.system().sleep(Duration.ofNanos(slices.startedAt + slices.length - System.nanoTime()));
            return sweeper.sweep();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while sweeping", e);
        } finally {
            end.set(System.nanoTime());
        }
    }

    /** Makes calls until the end, but for at least one round. */
    private List<Round> call(Payments payments, Slices slices, AtomicLong end) {
        long step = Duration.ofSeconds(CALLERS).toNanos() / effort.rate;
        long first = System.nanoTime();
        AtomicLong callers = new AtomicLong();
        List<Round> all = new ArrayList<>();
        Callers.run(CALLERS, () -> {
            List<Round> mine = new ArrayList<>();
            long due = first + callers.getAndIncrement() * step / CALLERS;
            while (due < end.get() || slices.at(due) < IN_A_ROUND) {
                while (System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                payments.pay();
                if (due >= slices.startedAt && due < end.get()) {
                    add(mine, slices.at(due), System.nanoTime() - due);
                }
                due += step;
            }
            synchronized (all) {
                for (int i = 0; i < mine.size(); i++) {
                    roundOf(all, i).addAll(mine.get(i));
                }
            }
        });
        return all.subList(0, (int) Math.max(1, slices.at(end.get()) / IN_A_ROUND));
    }

    private void add(List<Round> rounds, long slice, long nanos) {
        boolean isNew = slice / IN_A_ROUND >= rounds.size();
        Round round = roundOf(rounds, (int) (slice / IN_A_ROUND));
        (Slices.isQuiet(slice) ? round.quiet : round.sweeping).add(nanos);
        if (isNew) {
            Progress.show("%s: round %d of calls with the sweep and without", name, rounds.size());
        }
    }

    private static Round roundOf(List<Round> rounds, int number) {
        while (rounds.size() <= number) {
            rounds.add(new Round());
        }
        return rounds.get(number);
    }
}
