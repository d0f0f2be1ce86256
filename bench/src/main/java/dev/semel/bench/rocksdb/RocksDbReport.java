package dev.semel.bench.rocksdb;

import static dev.semel.bench.ContestFigures.LARGE;
import static dev.semel.bench.ContestFigures.SEMEL;
import static dev.semel.bench.ContestFigures.SEMEL_PLATFORM;
import static dev.semel.bench.ContestFigures.SMALL;
import static dev.semel.bench.rocksdb.RocksDbFigures.BARE;
import static dev.semel.bench.rocksdb.RocksDbFigures.TUNED;

import dev.semel.bench.Aims;
import dev.semel.bench.Contest.Effort;
import dev.semel.bench.ContestReport;
import dev.semel.bench.Payments;
import dev.semel.bench.rocksdb.RocksDbFigures.StoreSize;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The page of the embedded store's benchmark. */
final class RocksDbReport extends ContestReport<StoreSize> {

    private static final Map<Integer, Double> FRESH_AIMS = Map.of(1, 0.85, 8, 0.9, 64, 1.3);
    private static final double REPLAY_AIM = 0.9;
    private static final double OPENING_AIM = 2;
    private static final List<String> FRESH = List.of(SEMEL, SEMEL_PLATFORM, BARE, TUNED);

    private final RocksDbFigures figures;

    RocksDbReport(RocksDbFigures figures, Effort effort) {
        super(
                "rocksdb",
                "store",
                effort,
                figures,
                Map.of(
                        SEMEL, "**atomic call**",
                        SEMEL_PLATFORM, "atomic call, platform threads",
                        BARE, "bare RocksDB",
                        TUNED, "bare RocksDB, tuned",
                        SMALL, "small store",
                        LARGE, "this store"));
        this.figures = figures;
    }

    @Override
    protected List<String> plotted() {
        return FRESH;
    }

    @Override
    protected String markdown() {
        return "# Benchmark: the embedded store\n\nThis page compares calls on the embedded store with bare RocksDB, and shows"
                + " how they slow down as the store grows. " + opening()
                + aims()
                + "\n## New keys\n\n![Calls per second by callers](rocksdb-callers.svg)\n\n"
                + String.format(
                        Locale.ROOT,
                        "- An *atomic call* with a new key writes its idempotency record, a document of about 100 bytes and an"
                                + " index entry: %d bytes in four rows, synced to disk. Fingerprints are computed beforehand."
                                + " Quotas are off.%n"
                                + "- *Bare RocksDB* writes rows of the same lengths in one synced batch per caller. It looks up"
                                + " and checks nothing. *Tuned*, it lets one thread at a time write to memory"
                                + " (`allow_concurrent_memtable_write=false`), as the store does.%n"
                                + "- Calls run on virtual threads if the JVM has them, as in the server, and for comparison on"
                                + " platform threads. Bare RocksDB runs on platform threads only, because it would pin virtual"
                                + " threads.%n%n",
                        figures.bytesPerCall)
                + contests(figures.fresh, FRESH, SEMEL)
                + "\nCalls per write to disk (group commit): "
                + figures.callsPerGroup.entrySet().stream()
                        .map(group ->
                                String.format(Locale.ROOT, "%.1f with %s", group.getValue(), callers(group.getKey())))
                        .collect(Collectors.joining(", "))
                + ".\n\n## Known keys\n\nA call with a known key reads and decodes the recorded response. Bare RocksDB reads the"
                + " same row from a copy of the folder, and does not decode it.\n\n"
                + contests(figures.replays, List.of(SEMEL, BARE), SEMEL)
                + "\n## Stores of increasing size\n\n![Latency by stored keys](rocksdb-keys.svg)\n\n"
                + "Two callers fill a store without syncing. The store then takes turns with a new store of "
                + smallKeys()
                + " keys. A query returns the " + Payments.PER_CUSTOMER
                + " documents of one customer by a prefix of their keys. Up to 100,000 queries warm up.\n\n"
                + sizes();
    }

    private String aims() {
        Aims aims = new Aims();
        figures.fresh.forEach((callers, scores) -> {
            Double aim = FRESH_AIMS.get(callers);
            if (aim != null) {
                for (String yardstick : List.of(BARE, TUNED)) {
                    aims.atLeast(
                            "new key, " + callers(callers) + ", relative to " + label(yardstick),
                            scores.times(SEMEL, yardstick),
                            aim);
                }
            }
        });
        figures.replays.forEach((callers, scores) -> aims.atLeast(
                "known key, " + callers(callers) + ", relative to a bare get", scores.times(SEMEL, BARE), REPLAY_AIM));
        StoreSize largest = largest();
        String compared = " with " + keys(largest.keys()) + " keys, relative to " + smallKeys();
        return aims.atMost("duration of a query" + compared, slowdown(largest.queries()), " ×", GROWTH_AIM)
                .atMost("duration of a new key" + compared, slowdown(largest.fresh()), " ×", GROWTH_AIM)
                .atMost("time to open " + keys(largest.keys()) + " keys", seconds(largest), " s", OPENING_AIM)
                .markdown();
    }

    private static double seconds(StoreSize size) {
        return size.opening().toMillis() / 1000.0;
    }

    private String sizes() {
        StringBuilder table =
                new StringBuilder("| keys | MB on disk | bytes per key | filled, keys per second | opened, s |"
                        + " new key, p50 µs | p99 µs | relative to small | query, p50 µs | p99 µs | relative to small |\n"
                        + "|---|---|---|---|---|---|---|---|---|---|---|\n");
        for (StoreSize size : figures.sizes) {
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
}
