package dev.semel.bench;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;

/** A table of measured values, each with its aim: {@code 2.9 × (aim 3.0)}. */
public final class Aims {

    private static final int TWO_DIGITS = 100;

    private final StringBuilder rows = new StringBuilder();

    /** Adds a ratio with its minimum. */
    public Aims atLeast(String what, double ratio, double aim) {
        return atLeast(what, ratio, " ×", aim);
    }

    /** Adds a value with its minimum. */
    public Aims atLeast(String what, double measured, String unit, double aim) {
        return add(what, minimum(measured, unit, aim));
    }

    /** Adds a value with its maximum. */
    public Aims atMost(String what, double measured, String unit, double aim) {
        return add(what, maximum(measured, unit, aim));
    }

    private Aims add(String what, String result) {
        rows.append("| ").append(what).append(" | ").append(result).append(" |\n");
        return this;
    }

    /** Returns a value with its minimum, and whether it is missed. */
    public static String minimum(double measured, String unit, double aim) {
        return result(measured, RoundingMode.FLOOR, unit, "aim ", aim, measured >= aim);
    }

    /** Returns a value with its maximum, and whether it is missed. */
    public static String maximum(double measured, String unit, double aim) {
        return result(measured, RoundingMode.CEILING, unit, "aim at most ", aim, measured <= aim);
    }

    /** @param rounding away from the aim, so that a value that misses it never looks as if it reached it */
    private static String result(
            double measured, RoundingMode rounding, String unit, String bound, double aim, boolean reached) {
        return rounded(measured, rounding) + unit + " (" + bound + aim(aim) + ")" + (reached ? "" : " **missed**");
    }

    private static String rounded(double value, RoundingMode rounding) {
        if (!Double.isFinite(value)) {
            return String.valueOf(value);
        }
        BigDecimal exact = BigDecimal.valueOf(value);
        boolean whole = value == Math.rint(value) || value >= TWO_DIGITS;
        return String.format(Locale.ROOT, whole ? "%,.0f" : "%.2f", exact.setScale(whole ? 0 : 2, rounding));
    }

    private static String aim(double aim) {
        return aim < TWO_DIGITS && aim != 0 ? String.valueOf(aim) : String.format(Locale.ROOT, "%,.0f", aim);
    }

    /** The table as a section of a page. */
    public String markdown() {
        return "## Aims\n\n| what | measured |\n|---|---|\n" + rows;
    }
}
