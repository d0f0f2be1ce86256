package dev.semel.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The results of JMH benchmarks, by round. */
public final class Measurements {

    private final Map<Series, List<Double>> nanos = new LinkedHashMap<>();
    private final Map<Series, Double> bytes = new LinkedHashMap<>();

    /**
     * A series of measurements of the same thing.
     *
     * @param task name of the task
     * @param subject name of the library
     * @param threads number of threads
     */
    public record Series(String task, String subject, int threads) {}

    /** Adds the result of a round: nanoseconds and allocated bytes per operation. */
    public void add(Series series, double nanosPerOperation, double bytesPerOperation) {
        nanos.computeIfAbsent(series, s -> new ArrayList<>()).add(nanosPerOperation);
        bytes.put(series, bytesPerOperation);
    }

    /** Returns the median of the nanoseconds over the rounds. */
    public double median(Series series) {
        return Median.of(rounds(series));
    }

    /** Returns the nanoseconds of the best and of the worst round. */
    public String spread(Series series) {
        List<Double> all = rounds(series);
        return Math.round(Collections.min(all)) + "–" + Math.round(Collections.max(all));
    }

    /** Returns the bytes that one operation allocates. */
    public double bytes(Series series) {
        return bytes.getOrDefault(series, Double.NaN);
    }

    /** Returns whether a series was measured. */
    public boolean has(Series series) {
        return nanos.containsKey(series);
    }

    private List<Double> rounds(Series series) {
        return nanos.getOrDefault(series, List.of(Double.NaN));
    }
}
