package dev.semel.bench;

import java.util.List;

/** The middle of some values. */
public final class Median {

    private Median() {}

    /** The median; of two in the middle, their mean; not a number if there are no values. */
    public static double of(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        if (sorted.isEmpty()) {
            return Double.NaN;
        }
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
