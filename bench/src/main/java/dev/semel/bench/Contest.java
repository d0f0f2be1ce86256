package dev.semel.bench;

import dev.semel.store.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Measures contenders in turn, slice by slice in one JVM, each with the same number of callers. What disturbs the machine for a
 * while disturbs all alike, and each round has its own ratio, of slices that follow one another.
 */
public final class Contest {

    private final int callers;
    private final Effort effort;
    private final Map<String, Contender> contenders = new LinkedHashMap<>();
    private final Set<String> onVirtualThreads = new HashSet<>();

    /** An operation that is measured. */
    @FunctionalInterface
    public interface Contender {

        /** Runs it once; called by all callers at the same time. */
        void call() throws Exception;
    }

    /**
     * How much is measured.
     *
     * @param rounds how many slices of each contender count; one more comes first, to warm up
     * @param slice how long a slice is
     */
    public record Effort(int rounds, Duration slice) {}

    /** @param callers how many threads call at the same time */
    public Contest(int callers, Effort effort) {
        this.callers = callers;
        this.effort = effort;
    }

    /** Adds a contender. */
    public Contest with(String name, Contender contender) {
        contenders.put(name, contender);
        return this;
    }

    /** Adds a contender whose callers are virtual threads if the JVM has them, as in the server. */
    public Contest withVirtualThreads(String name, Contender contender) {
        onVirtualThreads.add(name);
        return with(name, contender);
    }

    /** What was measured of a contender in one slice. */
    private record Slice(Latencies latencies, double perSecond) {}

    /** What was measured of a contender, round by round. */
    public static final class Score {

        private final List<Slice> slices = new ArrayList<>();

        /** Calls a second: median of the rounds. */
        public double perSecond() {
            return Median.of(slices.stream().map(Slice::perSecond).toList());
        }

        /** Slowest and fastest round, in calls a second. */
        public String spread() {
            List<Double> all = slices.stream().map(Slice::perSecond).toList();
            return Math.round(Collections.min(all)) + "–" + Math.round(Collections.max(all));
        }

        /** Nanoseconds that a share of the calls took at most: median of the rounds. */
        public double nanos(double share) {
            return Median.of(slices.stream()
                    .map(slice -> slice.latencies.quantile(share))
                    .toList());
        }

        /** Calls a second divided by those of another, in slices that followed one another: median of the rounds. */
        public double times(Score other) {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < slices.size(); i++) {
                ratios.add(slices.get(i).perSecond / other.slices.get(i).perSecond);
            }
            return Median.of(ratios);
        }
    }

    /** What was measured of each contender. */
    public static final class Scores {

        private final Map<String, Score> scores = new LinkedHashMap<>();

        /** What was measured of one of them. */
        public Score of(String name) {
            Score score = scores.get(name);
            if (score == null) {
                throw new IllegalArgumentException("There is no contender " + name + " in " + scores.keySet());
            }
            return score;
        }

        /** Whether a contender took part. */
        public boolean has(String name) {
            return scores.containsKey(name);
        }

        /** Calls a second of one contender, divided by those of another. */
        public double times(String one, String other) {
            return of(one).times(of(other));
        }
    }

    /** One of a list at random, for a call. */
    public static <T> T anyOf(List<T> list) {
        return list.get(ThreadLocalRandom.current().nextInt(list.size()));
    }

    /** Runs all rounds, every other one in the opposite order. */
    public Scores run() {
        Scores scores = new Scores();
        List<Map.Entry<String, Contender>> order = new ArrayList<>(contenders.entrySet());
        order.forEach(contender -> scores.scores.put(contender.getKey(), new Score()));
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            for (int round = 0; round <= effort.rounds; round++) {
                for (Map.Entry<String, Contender> contender : order) {
                    boolean virtual = onVirtualThreads.contains(contender.getKey());
                    Slice slice = slice(virtual ? Time.threads() : threads, contender.getValue());
                    if (round > 0) {
                        scores.of(contender.getKey()).slices.add(slice);
                    }
                }
                Collections.reverse(order);
            }
            return scores;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while measuring", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("Could not measure: " + e.getCause(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private Slice slice(Executor threads, Contender contender) throws InterruptedException, ExecutionException {
        CountDownLatch ready = new CountDownLatch(callers);
        List<FutureTask<Latencies>> running = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            FutureTask<Latencies> caller = new FutureTask<>(() -> {
                ready.countDown();
                ready.await();
                return callUntilTheEnd(contender);
            });
            running.add(caller);
            threads.execute(caller);
        }
        ready.await();
        long startedAt = System.nanoTime();
        Latencies all = new Latencies();
        for (FutureTask<Latencies> caller : running) {
            all.addAll(caller.get());
        }
        return new Slice(all, all.count() * 1e9 / (System.nanoTime() - startedAt));
    }

    private Latencies callUntilTheEnd(Contender contender) throws Exception {
        Latencies latencies = new Latencies();
        long before = System.nanoTime();
        long end = before + effort.slice.toNanos();
        while (before < end) {
            contender.call();
            long after = System.nanoTime();
            latencies.add(after - before);
            before = after;
        }
        return latencies;
    }
}
