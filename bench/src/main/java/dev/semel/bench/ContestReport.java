package dev.semel.bench;

import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Contest.Score;
import dev.semel.bench.Contest.Scores;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Tells what contests came to: aims first, then every figure. */
public abstract class ContestReport {

    private final Map<String, String> labels;

    /**
     * On contests.
     *
     * @param labels what readers know a contender by
     */
    protected ContestReport(Map<String, String> labels) {
        this.labels = labels;
    }

    /** On what and how it was measured. */
    protected static String opening(String name, Effort effort) {
        return String.format(
                Locale.ROOT,
                "Written by `./semel bench %s`. JDK %d, %d processors. Contenders take turns in one JVM, in"
                        + " slices of %d ms, %d rounds after one to warm up; figures are medians over the rounds, and"
                        + " ratios those of slices that followed one another. Compare ratios, not calls a second:"
                        + " machines differ and are noisy.%n%n",
                name,
                Runtime.version().feature(),
                Runtime.getRuntime().availableProcessors(),
                effort.slice().toMillis(),
                effort.rounds());
    }

    /** A table of aims. */
    protected static String aims(String rows) {
        return "## Aims\n\n| what | measured | aim | reached |\n|---|---|---|---|\n" + rows;
    }

    protected static String atLeast(String what, double measured, double aim) {
        return aim(what, measured, " ×", "at least ", aim, measured >= aim);
    }

    protected static String atMost(String what, double measured, String unit, double aim) {
        return aim(what, measured, unit, "at most ", aim, measured <= aim);
    }

    private static String aim(String what, double measured, String unit, String bound, double aim, boolean reached) {
        return String.format(
                Locale.ROOT,
                "| %s | %.2f%s | %s%s%s | %s |%n",
                what,
                measured,
                unit,
                bound,
                aim,
                unit,
                reached ? "yes" : "**no**");
    }

    /** Every figure of contests of rising numbers of callers, with ratios to one contender. */
    protected final String contests(Map<Integer, Scores> contests, List<String> names, String yardstick) {
        StringBuilder table = new StringBuilder("| callers | | a second | spread | p50, µs | p99, µs | to the "
                + label(yardstick).replace("**", "") + " |\n|---|---|---|---|---|---|---|\n");
        contests.forEach((callers, scores) -> {
            for (String name : names) {
                if (scores.has(name)) {
                    Score score = scores.of(name);
                    table.append(String.format(
                            Locale.ROOT,
                            "| %d | %s | %,.0f | %s | %.1f | %.1f | %.2f |%n",
                            callers,
                            label(name),
                            score.perSecond(),
                            score.spread(),
                            micros(score, 0.5),
                            micros(score, 0.99),
                            score.times(scores.of(yardstick))));
                }
            }
        });
        return table.toString();
    }

    /** Calls a second against callers, of contenders that take part in all contests. */
    protected final String callersPlot(String title, String unit, Map<Integer, Scores> contests, List<String> names) {
        LineChart chart = new LineChart(
                title, unit, contests.keySet().stream().map(String::valueOf).toList());
        for (String name : names) {
            chart.add(
                    label(name).replace("**", ""),
                    contests.values().stream()
                            .map(scores -> scores.of(name).perSecond())
                            .toList());
        }
        return chart.svg();
    }

    protected static double micros(Score score, double share) {
        return score.nanos(share) / 1000;
    }

    /** How readers say so many. */
    protected static String keys(long count) {
        if (count >= 1_000_000 && count % 1_000_000 == 0) {
            return count / 1_000_000 + " million";
        }
        return String.format(Locale.ROOT, "%,d", count);
    }

    protected final String label(String name) {
        return labels.getOrDefault(name, name);
    }
}
