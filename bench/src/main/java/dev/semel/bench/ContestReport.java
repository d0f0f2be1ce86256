package dev.semel.bench;

import static dev.semel.bench.ContestFigures.LARGE;
import static dev.semel.bench.ContestFigures.SMALL;

import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Contest.Score;
import dev.semel.bench.Contest.Scores;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * The page of a store's benchmark: aims, all figures, and plots over callers and over stored keys.
 *
 * @param <S> the figures at one size
 */
public abstract class ContestReport<S extends ContestFigures.Size> {

    /** Largest slowdown of a call in the largest store. */
    protected static final double GROWTH_AIM = 1.5;

    private final String name;
    private final String storeNoun;
    private final Effort effort;
    private final ContestFigures<S> figures;
    private final Map<String, String> labels;

    /**
     * Creates a report.
     *
     * @param name name of the benchmark
     * @param storeNoun noun for one of the stores
     * @param labels names of the contenders for readers
     */
    protected ContestReport(
            String name, String storeNoun, Effort effort, ContestFigures<S> figures, Map<String, String> labels) {
        this.name = name;
        this.storeNoun = storeNoun;
        this.effort = effort;
        this.figures = figures;
        this.labels = labels;
    }

    /** Returns the text of the page. */
    protected abstract String markdown();

    /** Returns the contenders with new keys that are plotted. */
    protected abstract List<String> plotted();

    /** Returns the page with its plots. */
    public final Page page() {
        return new Page(name, markdown(), Map.of(name + "-callers", callersPlot(), name + "-keys", keysPlot()));
    }

    /** Returns the first paragraph: how the figures were measured. */
    protected final String opening() {
        return String.format(
                Locale.ROOT,
                "Written by `./semel bench %s` on JDK %d and %d processors. Contenders take turns in one JVM, in slices"
                        + " of %d ms. Rounds: one to warm up, then %d. [How to read these pages](README.md).%n%n",
                name,
                Runtime.version().feature(),
                Runtime.getRuntime().availableProcessors(),
                effort.slice().toMillis(),
                effort.rounds());
    }

    /** Returns a table of all figures, with the ratios to one contender. */
    protected final String contests(Map<Integer, Scores> contests, List<String> names, String yardstick) {
        StringBuilder table =
                new StringBuilder("| callers | | calls per second | range | p50, µs | p99, µs | relative to "
                        + plainLabel(yardstick) + " |\n|---|---|---|---|---|---|---|\n");
        contests.forEach((callers, scores) -> {
            for (String contender : names) {
                if (scores.has(contender)) {
                    Score score = scores.of(contender);
                    table.append(String.format(
                            Locale.ROOT,
                            "| %d | %s | %,.0f | %s | %.1f | %.1f | %.2f × |%n",
                            callers,
                            label(contender),
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

    private String callersPlot() {
        LineChart chart = new LineChart(
                "New keys: throughput by callers",
                "calls per second, each durable; more is better",
                figures.fresh.keySet().stream().map(String::valueOf).toList());
        for (String contender : plotted()) {
            chart.add(
                    plainLabel(contender),
                    figures.fresh.values().stream()
                            .map(scores -> scores.of(contender).perSecond())
                            .toList());
        }
        return chart.svg();
    }

    private String keysPlot() {
        return new LineChart(
                        "Latency by stored keys",
                        "median of a call, µs; less is better",
                        figures.sizes.stream().map(size -> keys(size.keys())).toList())
                .add("new key", medians(S::fresh, LARGE))
                .add("new key, small " + storeNoun, medians(S::fresh, SMALL))
                .add("query of " + Payments.PER_CUSTOMER, medians(S::queries, LARGE))
                .add("query of " + Payments.PER_CUSTOMER + ", small " + storeNoun, medians(S::queries, SMALL))
                .svg();
    }

    private List<Double> medians(Function<S, Scores> contest, String contender) {
        return figures.sizes.stream()
                .map(size -> micros(contest.apply(size).of(contender), 0.5))
                .toList();
    }

    /** Returns the figures of the largest store. */
    protected final S largest() {
        return figures.sizes.get(figures.sizes.size() - 1);
    }

    /** Returns the number of keys in the small store. */
    protected final String smallKeys() {
        return keys(figures.sizes.get(0).keys());
    }

    /** Returns the duration of a call on the larger store, divided by that on the small one. */
    protected static double slowdown(Scores scores) {
        return scores.times(SMALL, LARGE);
    }

    /** Returns a quantile of the latency in microseconds. */
    protected static double micros(Score score, double share) {
        return score.nanos(share) / 1000;
    }

    /** Returns a number of keys as text. */
    protected static String keys(long count) {
        if (count >= 1_000_000 && count % 1_000_000 == 0) {
            return count / 1_000_000 + " million";
        }
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** Returns a number of callers as text. */
    protected static String callers(int count) {
        return count == 1 ? "1 caller" : count + " callers";
    }

    /** Returns the name of a contender for readers. */
    protected final String label(String contender) {
        return labels.getOrDefault(contender, contender);
    }

    /** Returns the name of a contender without emphasis. */
    protected final String plainLabel(String contender) {
        return label(contender).replace("**", "");
    }
}
