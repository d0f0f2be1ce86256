package dev.semel.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Lines over steps that are equally far from one another, as SVG that reads on light and on dark paper. */
public final class LineChart {

    private static final int LEFT = 70;
    private static final int RIGHT = 520;
    private static final int TOP = 60;
    private static final int BOTTOM = 300;
    private static final int GRID_LINES = 5;
    private static final List<String> COLORS = List.of("#0a7d5a", "#b3541e", "#8a8f98", "#3b5fa4");

    private final String title;
    private final String unit;
    private final List<String> steps;
    private final List<Line> lines = new ArrayList<>();

    private record Line(String label, List<Double> values) {}

    /** A chart of numbers in a unit, at some steps. */
    public LineChart(String title, String unit, List<String> steps) {
        this.title = title;
        this.unit = unit;
        this.steps = steps;
    }

    /** Adds a line with a number for each step. */
    public LineChart add(String label, List<Double> values) {
        lines.add(new Line(label, values));
        return this;
    }

    /** The chart; its axis begins at zero. */
    public String svg() {
        double top = roundedUp(lines.stream()
                .flatMap(line -> line.values.stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(1));
        StringBuilder svg = new StringBuilder("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 340'"
                + " font-family='sans-serif' font-size='11'>\n<rect width='100%' height='100%' fill='#fff'/>\n");
        svg.append(text(10, 22, "start' font-size='15' font-weight='bold", title));
        svg.append(text(10, 40, "start' fill='#555", unit));
        for (int i = 0; i <= GRID_LINES; i++) {
            double value = top * i / GRID_LINES;
            double y = y(value, top);
            svg.append(String.format(
                    Locale.ROOT, "<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' stroke='#ddd'/>%n", LEFT, RIGHT, y, y));
            svg.append(text(LEFT - 8, y + 4, "end", String.format(Locale.ROOT, top < 10 ? "%.1f" : "%,.0f", value)));
        }
        for (int i = 0; i < steps.size(); i++) {
            svg.append(text(x(i), BOTTOM + 18, "middle", steps.get(i)));
        }
        for (int i = 0; i < lines.size(); i++) {
            svg.append(line(lines.get(i), COLORS.get(i % COLORS.size()), top));
            int y = TOP + 18 * i;
            svg.append("<rect x='540' y='" + (y - 9) + "' width='10' height='10' fill='" + COLORS.get(i % COLORS.size())
                    + "'/>\n");
            svg.append(text(556, y, "start", lines.get(i).label));
        }
        return svg.append("</svg>\n").toString();
    }

    private String line(Line line, String color, double top) {
        StringBuilder points = new StringBuilder();
        StringBuilder dots = new StringBuilder();
        for (int i = 0; i < line.values.size(); i++) {
            double x = x(i);
            double y = y(line.values.get(i), top);
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
            dots.append(String.format(Locale.ROOT, "<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>%n", x, y, color));
        }
        return "<polyline points='" + points.toString().strip() + "' fill='none' stroke='" + color
                + "' stroke-width='2'/>\n" + dots;
    }

    private double x(int step) {
        return LEFT + 20 + (double) (RIGHT - LEFT - 40) * step / Math.max(1, steps.size() - 1);
    }

    private static double y(double value, double top) {
        return BOTTOM - (BOTTOM - TOP) * value / top;
    }

    /** The next of 1, 2, 5, 10, 20, … */
    private static double roundedUp(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(value, 1e-9))));
        for (double factor : new double[] {1, 2, 5}) {
            if (value <= factor * power) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    private static String text(double x, double y, String anchor, String text) {
        return String.format(
                Locale.ROOT,
                "<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>%n",
                x,
                y,
                anchor,
                text.replace("&", "&amp;").replace("<", "&lt;"));
    }
}
