package dev.semel.bench;

import dev.semel.store.Threads;
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

/**
 * Measures contenders in turn, slice after slice in one JVM, each with as many callers. So what disturbs the machine for a while
 * disturbs all alike; and each round has a ratio of its own, of slices that follow one another.
 */
public final class Contest {

    private final int callers;
    private final Effort effort;
    private final Map<String, Contender> contenders = new LinkedHashMap<>();
    private final Set<String> onVirtualThreads = new HashSet<>();

    /** Somebody who does something again and again. */
    @FunctionalInterface
    public interface Contender {

        /** Does it once; called by all callers at the same time. */
        void call() throws Exception;
    }

    /**
     * How much is done.
     *
     * @param rounds how often each contender has a slice that counts; one more goes before, to warm up
     * @param slice how long a slice is
     */
    public record Effort(int rounds, Duration slice) {}

    /** A contest of some callers. */
    public Contest(int callers, Effort effort) {
        this.callers = callers;
        this.effort = effort;
    }

    /** Adds a contender. */
    public Contest with(String name, Contender contender) {
        contenders.put(name, contender);
        return this;
    }

    /** Adds a contender whose callers are virtual threads where the JVM has them, as those of a server are. */
    public Contest withVirtualThreads(String name, Contender contender) {
        onVirtualThreads.add(name);
        return with(name, contender);
    }

    /** How many callers there are. */
    public int callers() {
        return callers;
    }

    /** What a contender did in one slice. */
    private record Slice(Latencies latencies, double perSecond) {}

    /** What a contender did, round by round. */
    public static final class Score {

        private final List<Slice> slices = new ArrayList<>();

        /** Calls a second: median of the rounds. */
        public double perSecond() {
            return median(slices.stream().map(Slice::perSecond).toList());
        }

        /** Slowest and fastest round, in calls a second. */
        public String spread() {
            List<Double> all = slices.stream().map(Slice::perSecond).toList();
            return Math.round(Collections.min(all)) + "–" + Math.round(Collections.max(all));
        }

        /** Nanoseconds that some share of the calls took at most: median of the rounds. */
        public double nanos(double share) {
            return median(slices.stream()
                    .map(slice -> slice.latencies.quantile(share))
                    .toList());
        }

        /** How many times as many calls as another, in slices that followed one another: median of the rounds. */
        public double times(Score other) {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < slices.size(); i++) {
                ratios.add(slices.get(i).perSecond / other.slices.get(i).perSecond);
            }
            return median(ratios);
        }

        private static double median(List<Double> values) {
            List<Double> sorted = values.stream().sorted().toList();
            int middle = sorted.size() / 2;
            return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        }
    }

    /** What each contender did. */
    public static final class Scores {

        private final Map<String, Score> scores = new LinkedHashMap<>();

        /** What one of them did. */
        public Score of(String name) {
            Score score = scores.get(name);
            if (score == null) {
                throw new IllegalArgumentException("There is no contender " + name + " in " + scores.keySet());
            }
            return score;
        }

        /** Whether there was one of that name. */
        public boolean has(String name) {
            return scores.containsKey(name);
        }

        /** How many times as many calls one did as another. */
        public double times(String one, String other) {
            return of(one).times(of(other));
        }
    }

    /** Lets them all have their turns, every other round in the opposite order. */
    public Scores run() {
        Scores scores = new Scores();
        List<Map.Entry<String, Contender>> order = new ArrayList<>(contenders.entrySet());
        order.forEach(contender -> scores.scores.put(contender.getKey(), new Score()));
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            for (int round = 0; round <= effort.rounds; round++) {
                for (Map.Entry<String, Contender> contender : order) {
                    boolean virtual = onVirtualThreads.contains(contender.getKey());
                    Slice slice = slice(virtual ? Threads.EXECUTOR : threads, contender.getValue());
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
        long begun = System.nanoTime();
        Latencies all = new Latencies();
        for (FutureTask<Latencies> caller : running) {
            all.addAll(caller.get());
        }
        return new Slice(all, all.count() * 1e9 / (System.nanoTime() - begun));
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
