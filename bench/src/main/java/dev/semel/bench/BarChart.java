package dev.semel.bench;

import java.util.ArrayList;
import java.util.List;

/** A chart of horizontal bars in groups, as SVG. */
public final class BarChart {

    private static final int LABELS = 210;
    private static final int BARS = 430;
    private static final int BAR = 11;
    private static final int GAP = 8;

    private final String title;
    private final String unit;
    private final List<Bar> bars = new ArrayList<>();

    private record Bar(String label, boolean ours, List<Double> values) {}

    /** @param unit unit of the values, and whether more or less is better */
    public BarChart(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    /** Adds a group with one bar per series. */
    public void add(String label, boolean ours, List<Double> values) {
        bars.add(new Bar(label, ours, values));
    }

    /** Returns the chart. A bar longer than four times the median is cut off and marked with an arrow. */
    public String svg(List<String> series) {
        double[] all = bars.stream()
                .flatMapToDouble(bar -> bar.values.stream().mapToDouble(Double::doubleValue))
                .sorted()
                .toArray();
        double most = Math.min(all[all.length - 1], 4 * all[all.length / 2]);
        Svg svg = new Svg(title, String.join(", ", series) + "; " + unit);
        int y = 58;
        for (Bar bar : bars) {
            int height = bar.values.size() * BAR;
            svg.text(LABELS - 8, y + height / 2 + 4, bar.ours ? "end' font-weight='bold" : "end", bar.label);
            for (int i = 0; i < bar.values.size(); i++) {
                double value = bar.values.get(i);
                int width = (int) Math.max(1, Math.min(1, value / most) * BARS);
                svg.add(
                        "<rect x='%d' y='%d' width='%d' height='%d' fill='%s' fill-opacity='%.2f'/>",
                        LABELS, y, width, BAR - 1, bar.ours ? "#0a7d5a" : "#8a8f98", i == 0 ? 1.0 : 0.6);
                svg.text(LABELS + width + 4, y + 9, "start", Math.round(value) + (value > most ? " →" : ""));
                y += BAR;
            }
            y += GAP;
        }
        return svg.document(y + 6);
    }
}
