package dev.semel.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was measured, round by round. */
public final class Measurements {

    private final Map<Series, List<Double>> nanos = new LinkedHashMap<>();
    private final Map<Series, Double> bytes = new LinkedHashMap<>();

    /**
     * One thing that is measured again and again.
     *
     * @param task what is done
     * @param subject who does it
     * @param threads how many do it at once
     */
    public record Series(String task, String subject, int threads) {}

    /** Adds a round: nanoseconds and allocated bytes of one operation. */
    public void add(Series series, double nanosPerOperation, double bytesPerOperation) {
        nanos.computeIfAbsent(series, s -> new ArrayList<>()).add(nanosPerOperation);
        bytes.put(series, bytesPerOperation);
    }

    /** Median over the rounds. */
    public double median(Series series) {
        List<Double> sorted = sorted(series);
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** Best and worst round. */
    public String spread(Series series) {
        List<Double> sorted = sorted(series);
        return Math.round(sorted.get(0)) + "–" + Math.round(sorted.get(sorted.size() - 1));
    }

    /** Bytes allocated by an operation. */
    public double bytes(Series series) {
        return bytes.getOrDefault(series, Double.NaN);
    }

    /** Whether anything is known of a series. */
    public boolean has(Series series) {
        return nanos.containsKey(series);
    }

    private List<Double> sorted(Series series) {
        List<Double> sorted = new ArrayList<>(nanos.getOrDefault(series, List.of(Double.NaN)));
        Collections.sort(sorted);
        return sorted;
    }
}
