package dev.semel.bench;

import java.util.List;

public final class Median {

    private Median() {}

    /** Returns the median of values, or NaN if there are none. */
    public static double of(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        if (sorted.isEmpty()) {
            return Double.NaN;
        }
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
