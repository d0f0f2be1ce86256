package dev.semel.bench;

import java.util.Locale;

/** A table of aims: what was measured, what was aimed at, and whether it was reached. */
public final class Aims {

    private final StringBuilder rows = new StringBuilder();

    /** Adds a ratio that should be no smaller than aimed at. */
    public Aims atLeast(String what, double ratio, double aim) {
        return atLeast(what, ratio, " ×", aim);
    }

    /** Adds a value that should be no smaller than aimed at. */
    public Aims atLeast(String what, double measured, String unit, double aim) {
        return add(what, measured, unit, "at least ", aim, measured >= aim);
    }

    /** Adds a value that should be no larger than aimed at. */
    public Aims atMost(String what, double measured, String unit, double aim) {
        return add(what, measured, unit, "at most ", aim, measured <= aim);
    }

    private Aims add(String what, double measured, String unit, String bound, double aim, boolean reached) {
        rows.append(String.format(
                Locale.ROOT,
                "| %s | %s%s | %s%s%s | %s |%n",
                what,
                String.format(Locale.ROOT, measured < 100 ? "%.2f" : "%,.0f", measured),
                unit,
                bound,
                String.format(Locale.ROOT, aim == Math.rint(aim) ? "%,.0f" : "%s", aim),
                unit,
                reached ? "yes" : "**no**"));
        return this;
    }

    /** The table as a section of a page. */
    public String markdown() {
        return "## Aims\n\n| what | measured | aim | reached |\n|---|---|---|---|\n" + rows;
    }
}
