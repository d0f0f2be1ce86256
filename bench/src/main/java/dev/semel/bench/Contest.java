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
 * Measures contenders in one JVM, in short slices of time that take turns, each with the same number of callers. A disturbance of the
 * machine affects all contenders. Ratios are computed per round, from slices that follow one another.
 */
public final class Contest {

    private final int callers;
    private final Effort effort;
    private final Map<String, Contender> contenders = new LinkedHashMap<>();
    private final Set<String> onVirtualThreads = new HashSet<>();

    /** An operation to measure. */
    @FunctionalInterface
    public interface Contender {

        /** Runs the operation once. All callers call this at the same time. */
        void call() throws Exception;
    }

    /**
     * The length of a contest.
     *
     * @param rounds number of slices of each contender, not counting one to warm up
     * @param slice duration of a slice
     */
    public record Effort(int rounds, Duration slice) {}

    /** @param callers number of threads that call at the same time */
    public Contest(int callers, Effort effort) {
        this.callers = callers;
        this.effort = effort;
    }

    /** Adds a contender that is called from platform threads. */
    public Contest with(String name, Contender contender) {
        contenders.put(name, contender);
        return this;
    }

    /** Adds a contender that is called from virtual threads if the JVM has them, as in the server. */
    public Contest withVirtualThreads(String name, Contender contender) {
        onVirtualThreads.add(name);
        return with(name, contender);
    }

    /** The result of one slice. */
    private record Slice(Latencies latencies, double perSecond) {}

    /** The results of one contender, by round. */
    public static final class Score {

        private final List<Slice> slices = new ArrayList<>();

        /** Returns the calls per second: median of the rounds. */
        public double perSecond() {
            return Median.of(slices.stream().map(Slice::perSecond).toList());
        }

        /** Returns the calls per second of the slowest and of the fastest round. */
        public String spread() {
            List<Double> all = slices.stream().map(Slice::perSecond).toList();
            return Math.round(Collections.min(all)) + "–" + Math.round(Collections.max(all));
        }

        /** Returns a quantile of the latency in nanoseconds: median of the rounds. */
        public double nanos(double share) {
            return Median.of(slices.stream()
                    .map(slice -> slice.latencies.quantile(share))
                    .toList());
        }

        /** Returns the calls per second divided by those of another contender in the same round: median of the rounds. */
        public double times(Score other) {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < slices.size(); i++) {
                ratios.add(slices.get(i).perSecond / other.slices.get(i).perSecond);
            }
            return Median.of(ratios);
        }
    }

    /** The results of all contenders. */
    public static final class Scores {

        private final Map<String, Score> scores = new LinkedHashMap<>();

        /** Returns the results of a contender. */
        public Score of(String name) {
            Score score = scores.get(name);
            if (score == null) {
                throw new IllegalArgumentException("There is no contender " + name + " in " + scores.keySet());
            }
            return score;
        }

        /** Returns whether a contender took part. */
        public boolean has(String name) {
            return scores.containsKey(name);
        }

        /** Returns the calls per second of one contender, divided by those of another. */
        public double times(String one, String other) {
            return of(one).times(of(other));
        }
    }

    /** Returns a random item of a list. */
    public static <T> T anyOf(List<T> list) {
        return list.get(ThreadLocalRandom.current().nextInt(list.size()));
    }

    /** Runs all rounds, every other one in reverse order. */
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
