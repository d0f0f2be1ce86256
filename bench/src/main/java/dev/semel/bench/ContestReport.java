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
 * Reports what was measured of a store: aims first, then every figure, and plots against callers and against stored keys.
 *
 * @param <S> what was measured at one size
 */
public abstract class ContestReport<S extends ContestFigures.Size> {

    /** By how much a call may become slower while a store grows. */
    protected static final double GROWTH_AIM = 1.5;

    private final String name;
    private final String storeNoun;
    private final Effort effort;
    private final ContestFigures<S> figures;
    private final Map<String, String> labels;

    /**
     * A report of a benchmark.
     *
     * @param name name of the benchmark
     * @param storeNoun what one of the stores is called
     * @param labels what readers know a contender by
     */
    protected ContestReport(
            String name, String storeNoun, Effort effort, ContestFigures<S> figures, Map<String, String> labels) {
        this.name = name;
        this.storeNoun = storeNoun;
        this.effort = effort;
        this.figures = figures;
        this.labels = labels;
    }

    /** The text. */
    protected abstract String markdown();

    /** Contenders of every contest with new keys, to be plotted. */
    protected abstract List<String> plotted();

    /** The page and its plots. */
    public final Page page() {
        return new Page(name, markdown(), Map.of(name + "-callers", callersPlot(), name + "-keys", keysPlot()));
    }

    /** What was measured, and how. */
    protected final String opening() {
        return String.format(
                Locale.ROOT,
                "Written by `./semel bench %s`. JDK %d, %d processors. Contenders take turns in one JVM, in slices of"
                        + " %d ms. Rounds: one to warm up, then %d. Figures are medians over the rounds; ratios are of"
                        + " slices that follow one another. Compare ratios, not calls a second: machines differ and are"
                        + " noisy.%n%n",
                name,
                Runtime.version().feature(),
                Runtime.getRuntime().availableProcessors(),
                effort.slice().toMillis(),
                effort.rounds());
    }

    /** Every figure of contests of rising numbers of callers, with ratios to one contender. */
    protected final String contests(Map<Integer, Scores> contests, List<String> names, String yardstick) {
        StringBuilder table = new StringBuilder("| callers | | a second | spread | p50, µs | p99, µs | to "
                + plainLabel(yardstick) + " |\n|---|---|---|---|---|---|---|\n");
        contests.forEach((callers, scores) -> {
            for (String contender : names) {
                if (scores.has(contender)) {
                    Score score = scores.of(contender);
                    table.append(String.format(
                            Locale.ROOT,
                            "| %d | %s | %,.0f | %s | %.1f | %.1f | %.2f |%n",
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
                "New keys: throughput against callers",
                "calls a second, each waits for the disk; more is better",
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
                        "Latency against stored keys",
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

    /** The largest store. */
    protected final S largest() {
        return figures.sizes.get(figures.sizes.size() - 1);
    }

    /** How many keys the small store has. */
    protected final String smallKeys() {
        return keys(figures.sizes.get(0).keys());
    }

    /** How many times as long a call takes on the larger store. */
    protected static double slowdown(Scores scores) {
        return scores.times(SMALL, LARGE);
    }

    /** Microseconds that a share of the calls took at most. */
    protected static double micros(Score score, double share) {
        return score.nanos(share) / 1000;
    }

    /** A number of keys, for readers. */
    protected static String keys(long count) {
        if (count >= 1_000_000 && count % 1_000_000 == 0) {
            return count / 1_000_000 + " million";
        }
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** What readers know a contender by. */
    protected final String label(String contender) {
        return labels.getOrDefault(contender, contender);
    }

    /** The same without emphasis. */
    protected final String plainLabel(String contender) {
        return label(contender).replace("**", "");
    }
}
