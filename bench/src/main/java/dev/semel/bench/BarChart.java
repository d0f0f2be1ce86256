package dev.semel.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Horizontal bars in groups, as SVG that reads on light and on dark paper. */
public final class BarChart {

    private static final int LABELS = 210;
    private static final int BARS = 430;
    private static final int BAR = 11;
    private static final int GAP = 8;

    private final String title;
    private final String unit;
    private final List<Bar> bars = new ArrayList<>();

    private record Bar(String label, boolean ours, List<Double> values) {}

    /** A chart of numbers in a unit. */
    public BarChart(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    /** Adds a group of bars: one for each number of threads. */
    public void add(String label, boolean ours, List<Double> values) {
        bars.add(new Bar(label, ours, values));
    }

    /** The chart; what is longer than four times the middle bar is cut off and says so. */
    public String svg(List<String> series) {
        double[] all = bars.stream()
                .flatMapToDouble(bar -> bar.values.stream().mapToDouble(Double::doubleValue))
                .sorted()
                .toArray();
        double most = Math.min(all[all.length - 1], 4 * all[all.length / 2]);
        StringBuilder svg = new StringBuilder();
        int y = 58;
        for (Bar bar : bars) {
            int height = bar.values.size() * BAR;
            svg.append(text(LABELS - 8, y + height / 2 + 4, "end", bar.ours ? "bold" : "normal", bar.label));
            for (int i = 0; i < bar.values.size(); i++) {
                double value = bar.values.get(i);
                int width = (int) Math.max(1, Math.min(1, value / most) * BARS);
                svg.append(String.format(
                        Locale.ROOT,
                        "<rect x='%d' y='%d' width='%d' height='%d' fill='%s' fill-opacity='%.2f'/>%n",
                        LABELS,
                        y,
                        width,
                        BAR - 1,
                        bar.ours ? "#0a7d5a" : "#8a8f98",
                        i == 0 ? 1.0 : 0.6));
                svg.append(text(
                        LABELS + width + 4, y + 9, "start", "normal", Math.round(value) + (value > most ? " →" : "")));
                y += BAR;
            }
            y += GAP;
        }
        String legend = String.join(", ", series) + "; " + unit + ", less is better";
        return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 " + (y + 6)
                + "' font-family='sans-serif' font-size='11'>\n"
                + "<rect width='100%' height='100%' fill='#fff'/>\n"
                + "<text x='10' y='22' font-size='15' font-weight='bold'>" + escaped(title) + "</text>\n"
                + "<text x='10' y='40' fill='#555'>" + escaped(legend) + "</text>\n" + svg + "</svg>\n";
    }

    private static String text(int x, int y, String anchor, String weight, String text) {
        return "<text x='" + x + "' y='" + y + "' text-anchor='" + anchor + "' font-weight='" + weight + "'>"
                + escaped(text) + "</text>\n";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
