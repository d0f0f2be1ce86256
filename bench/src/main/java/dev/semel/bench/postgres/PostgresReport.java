package dev.semel.bench.postgres;

import static dev.semel.bench.ContestFigures.LARGE;
import static dev.semel.bench.ContestFigures.SEMEL;
import static dev.semel.bench.ContestFigures.SEMEL_PLATFORM;
import static dev.semel.bench.postgres.PostgresFigures.AUTOCOMMIT;
import static dev.semel.bench.postgres.PostgresFigures.CALLER_MANAGED;
import static dev.semel.bench.postgres.PostgresFigures.DBOS;
import static dev.semel.bench.postgres.PostgresFigures.EFFECT_FIRST;
import static dev.semel.bench.postgres.PostgresFigures.SELECT;
import static dev.semel.bench.postgres.PostgresFigures.TRANSACTION;
import static dev.semel.bench.postgres.PostgresRun.MOST_CALLERS;

import dev.semel.bench.Aims;
import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Contest.Scores;
import dev.semel.bench.ContestReport;
import dev.semel.bench.Payments;
import dev.semel.bench.postgres.PostgresFigures.DatabaseSize;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The page of the PostgreSQL store's benchmark. */
final class PostgresReport extends ContestReport<DatabaseSize> {

    private static final Map<Integer, Double> FRESH_AIMS = Map.of(1, 1.0, MOST_CALLERS, 1.5);
    private static final double CALLER_MANAGED_AIM = 0.75;
    private static final double REPLAY_AIM = 0.9;
    private static final double DBOS_AIM = 5;
    private static final double BYTES_AIM = 600;
    private static final double INDEX_ENTRIES_AIM = 3;
    private static final List<String> FRESH =
            List.of(SEMEL, SEMEL_PLATFORM, CALLER_MANAGED, EFFECT_FIRST, TRANSACTION, AUTOCOMMIT, DBOS);

    private final PostgresFigures figures;

    PostgresReport(PostgresFigures figures, Effort effort) {
        super(
                "postgres",
                "database",
                effort,
                figures,
                Map.of(
                        SEMEL, "**atomic call**",
                        SEMEL_PLATFORM, "atomic call, platform threads",
                        TRANSACTION, "BEGIN, INSERT, COMMIT",
                        AUTOCOMMIT, "INSERT, autocommit",
                        CALLER_MANAGED, "**caller-managed INSERT**",
                        EFFECT_FIRST, "**caller-managed INSERT, effect first**",
                        SELECT, "SELECT by key",
                        DBOS, "DBOS Java"));
        this.figures = figures;
    }

    private static Scores withMost(Map<Integer, Scores> contests) {
        return Objects.requireNonNull(contests.get(MOST_CALLERS));
    }

    @Override
    protected List<String> plotted() {
        return List.of(SEMEL, TRANSACTION, AUTOCOMMIT, EFFECT_FIRST);
    }

    @Override
    protected String markdown() {
        return "# Benchmark: the PostgreSQL store\n\nThis page compares calls on the PostgreSQL store with plain SQL and with"
                + " DBOS, and shows how they slow down as the database grows. " + opening()
                + "PostgreSQL " + figures.version + " on the same machine, with `fsync`, `synchronous_commit` and"
                + " `full_page_writes` on; " + settings() + ".\n\n"
                + aims()
                + "\n## Size of a key\n\nMeasured after " + keys(figures.footprint.keys())
                + " calls with new keys and responses of " + Payments.payload().length
                + " bytes. The bytes include the free space of pages.\n\n"
                + figures.footprint.markdown()
                + "\n## New keys\n\n![Calls per second by callers](postgres-callers.svg)\n\n"
                + "- An *atomic call* with a new key writes its idempotency record, a document of about 100 bytes and an index"
                + " entry. The store has eight connections, and its callers share round trips (group commit). Calls run on virtual"
                + " threads if the JVM has them, as in the server, and for comparison on platform threads. Quotas are off.\n"
                + "- The *baseline* inserts only the key and the bytes of the document, into a table with a primary key. It uses"
                + " plain JDBC with one connection per caller, in a transaction or in autocommit.\n"
                + "- A *caller-managed INSERT* is the INSERT of the baseline, in one transaction with its idempotency record, on"
                + " the same connections.\n"
                + "- *DBOS* runs a workflow of one step that only returns a response.\n\n"
                + contests(figures.fresh, FRESH, TRANSACTION)
                + "\n## Known keys\n\nA call with a known key is replayed. The baseline selects the same columns of the same"
                + " row with plain JDBC. DBOS is called with the id of a completed workflow.\n\n"
                + contests(figures.replays, List.of(SEMEL, SEMEL_PLATFORM, SELECT, DBOS), SELECT)
                + "\n## Databases of increasing size\n\n![Latency by stored keys](postgres-keys.svg)\n\n"
                + "A database is filled with rows as the store writes them. It then takes turns with a new database of "
                + smallKeys() + " keys: " + MOST_CALLERS
                + " callers for new and known keys, one caller for queries. A query returns the "
                + Payments.PER_CUSTOMER
                + " documents of one customer by a prefix of their keys.\n\n"
                + sizes()
                + String.format(
                        Locale.ROOT,
                        "%nQuery plans with %s keys (`auto_explain`): %,d index scans, %,d sequential scans.%n",
                        keys(largest().keys()),
                        figures.plans.indexScans(),
                        figures.plans.wholeTables());
    }

    private static String settings() {
        return PostgresBench.SETTINGS.entrySet().stream()
                .map(setting -> "`" + setting.getKey() + "=" + setting.getValue() + "`")
                .collect(Collectors.joining(", "));
    }

    private String aims() {
        Aims aims = new Aims()
                .atMost(
                        "size of an idempotency record with its index entries",
                        figures.footprint.records().allBytes(),
                        " bytes",
                        BYTES_AIM)
                .atMost(
                        "index entries of an idempotency record",
                        figures.footprint.records().indexEntries(),
                        "",
                        INDEX_ENTRIES_AIM);
        figures.fresh.forEach((callers, scores) -> {
            Double aim = FRESH_AIMS.get(callers);
            if (aim != null) {
                aims.atLeast(
                        "new key, " + callers(callers) + ", relative to BEGIN, INSERT, COMMIT",
                        scores.times(SEMEL, TRANSACTION),
                        aim);
            }
        });
        for (String contender : List.of(CALLER_MANAGED, EFFECT_FIRST)) {
            aims.atLeast(
                    plainLabel(contender) + ", " + callers(MOST_CALLERS) + ", relative to BEGIN, INSERT, COMMIT",
                    withMost(figures.fresh).times(contender, TRANSACTION),
                    CALLER_MANAGED_AIM);
        }
        figures.replays.forEach((callers, scores) -> aims.atLeast(
                "known key, " + callers(callers) + ", relative to a SELECT by key",
                scores.times(SEMEL, SELECT),
                REPLAY_AIM));
        DatabaseSize largest = largest();
        String compared = " with " + keys(largest.keys()) + " keys, relative to " + smallKeys();
        return aims.atMost("duration of a new key" + compared, slowdown(largest.fresh()), " ×", GROWTH_AIM)
                .atMost("duration of a known key" + compared, slowdown(largest.replays()), " ×", GROWTH_AIM)
                .atMost("duration of a query" + compared, slowdown(largest.queries()), " ×", GROWTH_AIM)
                .atMost("sequential scans with " + keys(largest.keys()) + " keys", figures.plans.wholeTables(), "", 0)
                .atLeast(
                        "new key, " + callers(MOST_CALLERS) + ", relative to DBOS",
                        withMost(figures.fresh).times(SEMEL, DBOS),
                        DBOS_AIM)
                .atLeast(
                        "known key, " + callers(MOST_CALLERS) + ", relative to DBOS",
                        withMost(figures.replays).times(SEMEL, DBOS),
                        DBOS_AIM)
                .markdown();
    }

    private String sizes() {
        StringBuilder table =
                new StringBuilder("| keys | MB on disk | new keys per second | p50 µs | relative to small |"
                        + " known keys per second | p50 µs | relative to small | query, p50 µs | p99 µs | relative to small |\n"
                        + "|---|---|---|---|---|---|---|---|---|---|---|\n");
        for (DatabaseSize size : figures.sizes) {
            table.append(String.format(
                    Locale.ROOT,
                    "| %,d | %.0f | %,.0f | %.0f | %.2f × | %,.0f | %.0f | %.2f × | %.1f | %.1f | %.2f × |%n",
                    size.keys(),
                    size.bytes() / 1e6,
                    size.fresh().of(LARGE).perSecond(),
                    micros(size.fresh().of(LARGE), 0.5),
                    slowdown(size.fresh()),
                    size.replays().of(LARGE).perSecond(),
                    micros(size.replays().of(LARGE), 0.5),
                    slowdown(size.replays()),
                    micros(size.queries().of(LARGE), 0.5),
                    micros(size.queries().of(LARGE), 0.99),
                    slowdown(size.queries())));
        }
        return table.toString();
    }
}
