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
     * @param subject which library does it
     * @param threads how many threads do it at once
     */
    public record Series(String task, String subject, int threads) {}

    /** Adds a round: nanoseconds and allocated bytes of one operation. */
    public void add(Series series, double nanosPerOperation, double bytesPerOperation) {
        nanos.computeIfAbsent(series, s -> new ArrayList<>()).add(nanosPerOperation);
        bytes.put(series, bytesPerOperation);
    }

    /** Median over the rounds. */
    public double median(Series series) {
        return Median.of(rounds(series));
    }

    /** Best and worst round. */
    public String spread(Series series) {
        List<Double> all = rounds(series);
        return Math.round(Collections.min(all)) + "–" + Math.round(Collections.max(all));
    }

    /** Bytes allocated by an operation. */
    public double bytes(Series series) {
        return bytes.getOrDefault(series, Double.NaN);
    }

    /** Whether a series was measured. */
    public boolean has(Series series) {
        return nanos.containsKey(series);
    }

    private List<Double> rounds(Series series) {
        return nanos.getOrDefault(series, List.of(Double.NaN));
    }
}
