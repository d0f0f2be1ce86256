package dev.semel.bench.rocksdb;

import static dev.semel.bench.rocksdb.RocksDbFigures.DEFAULT;
import static dev.semel.bench.rocksdb.RocksDbFigures.LARGE;
import static dev.semel.bench.rocksdb.RocksDbFigures.SEMEL;
import static dev.semel.bench.rocksdb.RocksDbFigures.SEMEL_PLATFORM;
import static dev.semel.bench.rocksdb.RocksDbFigures.SMALL;
import static dev.semel.bench.rocksdb.RocksDbFigures.TUNED;

import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Contest.Score;
import dev.semel.bench.Contest.Scores;
import dev.semel.bench.LineChart;
import dev.semel.bench.rocksdb.RocksDbFigures.Size;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Tells what was measured: aims first, then every figure, and two plots. */
final class RocksDbReport {

    private static final Map<Integer, Double> FRESH_AIMS = Map.of(1, 0.85, 8, 0.9, 64, 1.3);
    private static final double REPLAY_AIM = 0.9;
    private static final double GROWTH_AIM = 1.5;
    private static final double OPENING_AIM = 2;
    private static final Map<String, String> LABELS = Map.of(
            SEMEL, "**once-call**",
            SEMEL_PLATFORM, "once-call, platform threads",
            DEFAULT, "bare RocksDB",
            TUNED, "bare RocksDB, tuned",
            SMALL, "small store",
            LARGE, "this store");

    private final RocksDbFigures figures;
    private final Effort effort;

    RocksDbReport(RocksDbFigures figures, Effort effort) {
        this.figures = figures;
        this.effort = effort;
    }

    private Size largest() {
        return figures.sizes.get(figures.sizes.size() - 1);
    }

    private String smallKeys() {
        return keys(figures.sizes.get(0).keys());
    }

    String markdown() {
        return "# The embedded store: how fast\n\n"
                + String.format(
                        Locale.ROOT,
                        "Written by `./semel bench rocksdb`. JDK %d, %d processors. Contenders take turns in one JVM, in"
                                + " slices of %d ms, %d rounds after one to warm up; figures are medians over the rounds, and"
                                + " ratios those of slices that followed one another. Compare ratios, not calls a second:"
                                + " machines differ and are noisy.%n%n",
                        Runtime.version().feature(),
                        Runtime.getRuntime().availableProcessors(),
                        effort.slice().toMillis(),
                        effort.rounds())
                + "## Aims\n\n| what | measured | aim | reached |\n|---|---|---|---|\n"
                + aims()
                + "\n## New keys\n\n![Calls a second against callers](rocksdb-callers.svg)\n\n"
                + String.format(
                        Locale.ROOT,
                        "A call with a new key writes its record, a document of about 100 bytes and a further key, %d bytes"
                                + " in three rows, and waits for the disk. Bare RocksDB writes rows of the same lengths in"
                                + " one batch for each caller, and waits for the disk; it looks nothing up and checks"
                                + " nothing. Tuned, it lets one thread at a time write to memory"
                                + " (`allow_concurrent_memtable_write=false`), as the store does. Once-calls come from"
                                + " virtual threads where the JVM has them, as the server's do, and from platform threads"
                                + " beside; bare RocksDB's from platform threads, which are faster for it: it would pin"
                                + " virtual ones. The payload's fingerprint is taken before; quotas are off.%n%n",
                        figures.bytesOfACall)
                + contests(figures.fresh, List.of(SEMEL, SEMEL_PLATFORM, DEFAULT, TUNED))
                + "\nCallers that come at the same time share a write: "
                + groups()
                + "\n\n## Known keys\n\nA call with a known key is answered from its record; bare RocksDB gets the same row,"
                + " from a copy of the same folder, and does not look at it.\n\n"
                + contests(figures.replays, List.of(SEMEL, DEFAULT))
                + "\n## Stores of rising size\n\n![Latency against stored keys](rocksdb-keys.svg)\n\n"
                + "A store is filled with calls, two at a time and without waiting for the disk; the fuller one takes turns"
                + " with one of " + smallKeys() + " keys that is new each time. A query returns the "
                + PaymentStore.OF_A_CUSTOMER + " documents of one customer by a prefix of their keys.\n\n"
                + sizes();
    }

    private String aims() {
        StringBuilder aims = new StringBuilder();
        figures.fresh.forEach((callers, scores) -> {
            Double aim = FRESH_AIMS.get(callers);
            for (String yardstick : aim == null ? List.<String>of() : List.of(DEFAULT, TUNED)) {
                aims.append(atLeast(
                        "new key, callers: " + callers + ", to " + label(yardstick),
                        scores.times(SEMEL, yardstick),
                        Objects.requireNonNull(aim)));
            }
        });
        figures.replays.forEach((callers, scores) -> aims.append(atLeast(
                "known key, callers: " + callers + ", to a bare get", scores.times(SEMEL, DEFAULT), REPLAY_AIM)));
        Size largest = largest();
        String among = " with " + keys(largest.keys()) + " keys, to " + smallKeys();
        aims.append(atMost("time of a query" + among, slowdown(largest.queries()), " ×", GROWTH_AIM));
        aims.append(atMost("time of a new key" + among, slowdown(largest.fresh()), " ×", GROWTH_AIM));
        aims.append(atMost("opening " + keys(largest.keys()) + " keys", seconds(largest), " s", OPENING_AIM));
        return aims.toString();
    }

    private static double seconds(Size size) {
        return size.opening().toMillis() / 1000.0;
    }

    private static double slowdown(Scores scores) {
        return scores.times(SMALL, LARGE);
    }

    private static String atLeast(String what, double measured, double aim) {
        return aim(what, measured, " ×", "at least ", aim, measured >= aim);
    }

    private static String atMost(String what, double measured, String unit, double aim) {
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

    private static String contests(Map<Integer, Scores> contests, List<String> names) {
        StringBuilder table = new StringBuilder("""
                | callers | | a second | spread | p50, µs | p99, µs | to the once-call |
                |---|---|---|---|---|---|---|
                """);
        contests.forEach((callers, scores) -> {
            for (String name : names) {
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
                        score.times(scores.of(SEMEL))));
            }
        });
        return table.toString();
    }

    private String groups() {
        StringBuilder groups = new StringBuilder();
        figures.callsInAGroup.forEach((callers, calls) -> groups.append(
                String.format(Locale.ROOT, "%s%.1f calls with %d", groups.length() == 0 ? "" : ", ", calls, callers)));
        return groups + " callers.";
    }

    private String sizes() {
        StringBuilder table =
                new StringBuilder("| keys | MB on disk | bytes a key | filled with, a second | opening, s |"
                        + " new key, p50 µs | p99 µs | to small | query, p50 µs | p99 µs | to small |\n"
                        + "|---|---|---|---|---|---|---|---|---|---|---|\n");
        for (Size size : figures.sizes) {
            table.append(String.format(
                    Locale.ROOT,
                    "| %,d | %.0f | %.0f | %,.0f | %.2f | %.0f | %.0f | %.2f × | %.1f | %.1f | %.2f × |%n",
                    size.keys(),
                    size.bytes() / 1e6,
                    (double) size.bytes() / size.keys(),
                    size.perSecond(),
                    seconds(size),
                    micros(size.fresh().of(LARGE), 0.5),
                    micros(size.fresh().of(LARGE), 0.99),
                    slowdown(size.fresh()),
                    micros(size.queries().of(LARGE), 0.5),
                    micros(size.queries().of(LARGE), 0.99),
                    slowdown(size.queries())));
        }
        return table.toString();
    }

    String callersPlot() {
        LineChart chart = new LineChart(
                "New keys: throughput against callers",
                "calls a second, each waits for the disk; more is better",
                figures.fresh.keySet().stream().map(String::valueOf).toList());
        for (String name : List.of(SEMEL, SEMEL_PLATFORM, DEFAULT, TUNED)) {
            chart.add(
                    label(name).replace("**", ""),
                    figures.fresh.values().stream()
                            .map(scores -> scores.of(name).perSecond())
                            .toList());
        }
        return chart.svg();
    }

    String keysPlot() {
        return new LineChart(
                        "Latency against stored keys",
                        "median of a call, µs; less is better",
                        figures.sizes.stream().map(size -> keys(size.keys())).toList())
                .add("new key", medians(true, LARGE))
                .add("new key, small store", medians(true, SMALL))
                .add("query of 20", medians(false, LARGE))
                .add("query of 20, small store", medians(false, SMALL))
                .svg();
    }

    private List<Double> medians(boolean fresh, String name) {
        return figures.sizes.stream()
                .map(size -> micros((fresh ? size.fresh() : size.queries()).of(name), 0.5))
                .toList();
    }

    private static double micros(Score score, double share) {
        return score.nanos(share) / 1000;
    }

    private static String keys(long count) {
        if (count >= 1_000_000 && count % 1_000_000 == 0) {
            return count / 1_000_000 + " million";
        }
        return String.format(Locale.ROOT, "%,d", count);
    }

    private static String label(String name) {
        return LABELS.getOrDefault(name, name);
    }
}
