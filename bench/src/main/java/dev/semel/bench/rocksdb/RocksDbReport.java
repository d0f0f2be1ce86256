package dev.semel.bench.rocksdb;

import static dev.semel.bench.rocksdb.RocksDbFigures.DEFAULT;
import static dev.semel.bench.rocksdb.RocksDbFigures.LARGE;
import static dev.semel.bench.rocksdb.RocksDbFigures.SEMEL;
import static dev.semel.bench.rocksdb.RocksDbFigures.SEMEL_PLATFORM;
import static dev.semel.bench.rocksdb.RocksDbFigures.SMALL;
import static dev.semel.bench.rocksdb.RocksDbFigures.TUNED;

import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Contest.Scores;
import dev.semel.bench.ContestReport;
import dev.semel.bench.LineChart;
import dev.semel.bench.Payments;
import dev.semel.bench.rocksdb.RocksDbFigures.Size;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Tells what was measured: aims first, then every figure, and two plots. */
final class RocksDbReport extends ContestReport {

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
        super(LABELS);
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
                + opening("rocksdb", effort)
                + aims(aims())
                + "\n## New keys\n\n![Calls a second against callers](rocksdb-callers.svg)\n\n"
                + String.format(
                        Locale.ROOT,
                        "A call with a new key writes its record, a document of about 100 bytes and a further key, %d bytes"
                                + " in four rows, and waits for the disk. Bare RocksDB writes rows of the same lengths in"
                                + " one batch for each caller, and waits for the disk; it looks nothing up and checks"
                                + " nothing. Tuned, it lets one thread at a time write to memory"
                                + " (`allow_concurrent_memtable_write=false`), as the store does. Once-calls come from"
                                + " virtual threads where the JVM has them, as the server's do, and from platform threads"
                                + " beside; bare RocksDB's from platform threads, which are faster for it: it would pin"
                                + " virtual ones. The payload's fingerprint is taken before; quotas are off.%n%n",
                        figures.bytesOfACall)
                + contests(figures.fresh, List.of(SEMEL, SEMEL_PLATFORM, DEFAULT, TUNED), SEMEL)
                + "\nCallers that come at the same time share a write: "
                + groups()
                + "\n\n## Known keys\n\nA call with a known key is answered from its record; bare RocksDB gets the same row,"
                + " from a copy of the same folder, and does not look at it.\n\n"
                + contests(figures.replays, List.of(SEMEL, DEFAULT), SEMEL)
                + "\n## Stores of rising size\n\n![Latency against stored keys](rocksdb-keys.svg)\n\n"
                + "A store is filled with calls, two at a time and without waiting for the disk; the fuller one takes turns"
                + " with one of " + smallKeys()
                + " keys that is new each time. After up to 100,000 queries to warm up, a query returns the "
                + Payments.OF_A_CUSTOMER + " documents of one customer by a prefix of their keys.\n\n"
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
        return callersPlot(
                "New keys: throughput against callers",
                "calls a second, each waits for the disk; more is better",
                figures.fresh,
                List.of(SEMEL, SEMEL_PLATFORM, DEFAULT, TUNED));
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
}
