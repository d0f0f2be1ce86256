package dev.semel.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A line chart as SVG. Its steps have equal distances. */
public final class LineChart {

    private static final int LEFT = 70;
    private static final int RIGHT = 450;
    private static final int LEGEND = 470;
    private static final int TOP = 60;
    private static final int BOTTOM = 300;
    private static final int HEIGHT = 340;
    private static final int GRID_LINES = 5;
    private static final List<String> COLORS = List.of("#0a7d5a", "#b3541e", "#8a8f98", "#3b5fa4");

    private final String title;
    private final String unit;
    private final List<String> steps;
    private final List<Line> lines = new ArrayList<>();

    private record Line(String label, List<Double> values) {}

    /** @param unit unit of the values, and whether more or less is better */
    public LineChart(String title, String unit, List<String> steps) {
        this.title = title;
        this.unit = unit;
        this.steps = steps;
    }

    /** Adds a line with a value for each step. */
    public LineChart add(String label, List<Double> values) {
        lines.add(new Line(label, values));
        return this;
    }

    /** Returns the chart. Its value axis starts at zero. */
    public String svg() {
        double top = roundedUp(lines.stream()
                .flatMap(line -> line.values.stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(1));
        Svg svg = new Svg(title, unit);
        for (int i = 0; i <= GRID_LINES; i++) {
            double value = top * i / GRID_LINES;
            double y = y(value, top);
            svg.add("<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' stroke='#ddd'/>", LEFT, RIGHT, y, y);
            svg.text(LEFT - 8, y + 4, "end", String.format(Locale.ROOT, top < 10 ? "%.1f" : "%,.0f", value));
        }
        for (int i = 0; i < steps.size(); i++) {
            svg.text(x(i), BOTTOM + 18, "middle", steps.get(i));
        }
        for (int i = 0; i < lines.size(); i++) {
            String color = COLORS.get(i % COLORS.size());
            draw(svg, lines.get(i), color, top);
            int y = TOP + 18 * i;
            svg.add("<rect x='%d' y='%d' width='10' height='10' fill='%s'/>", LEGEND, y - 9, color);
            svg.text(LEGEND + 16, y, "start", lines.get(i).label);
        }
        return svg.document(HEIGHT);
    }

    private void draw(Svg svg, Line line, String color, double top) {
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < line.values.size(); i++) {
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(i), y(line.values.get(i), top)));
        }
        svg.add(
                "<polyline points='%s' fill='none' stroke='%s' stroke-width='2'/>",
                points.toString().strip(), color);
        for (int i = 0; i < line.values.size(); i++) {
            svg.add("<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>", x(i), y(line.values.get(i), top), color);
        }
    }

    private double x(int step) {
        return LEFT + 20 + (double) (RIGHT - LEFT - 40) * step / Math.max(1, steps.size() - 1);
    }

    private static double y(double value, double top) {
        return BOTTOM - (BOTTOM - TOP) * value / top;
    }

    /** Returns the next of 1, 2, 5, 10, 20, … */
    private static double roundedUp(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(value, 1e-9))));
        for (double factor : new double[] {1, 2, 5}) {
            if (value <= factor * power) {
                return factor * power;
            }
        }
        return 10 * power;
    }
}
