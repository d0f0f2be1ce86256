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

/** Reports what was measured of the PostgreSQL store. */
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
        return "# The PostgreSQL store: how fast\n\n"
                + opening()
                + "PostgreSQL " + figures.version + " on the same machine, with `fsync`, `synchronous_commit` and"
                + " `full_page_writes` on; " + settings() + ".\n\n"
                + aims()
                + "\n## Size of a key\n\nBytes on disk and index entries after " + keys(figures.footprint.keys())
                + " calls with new keys and responses of " + Payments.payload().length
                + " bytes, by the table in which each call writes a row. They include the space that pages leave free.\n\n"
                + figures.footprint.markdown()
                + "\n## New keys\n\n![Calls a second against callers](postgres-callers.svg)\n\n"
                + "A call with a new key writes its idempotency record, a document of about 100 bytes and an index entry."
                + " The yardstick inserts the key and the bytes of the document, and nothing else, into a table with a"
                + " primary key, by plain JDBC on a pool with a connection for each caller: in a transaction, and in"
                + " autocommit. The store has eight connections; its callers share round trips (group commit). Calls come"
                + " from virtual threads if the JVM has them, as in the server, and for comparison from platform threads."
                + " A caller-managed INSERT is the yardstick's, in one transaction with its idempotency record, on the"
                + " yardstick's connections. DBOS runs a workflow of one step that only returns a response. Quotas are"
                + " off.\n\n"
                + contests(figures.fresh, FRESH, TRANSACTION)
                + "\n## Known keys\n\nA call with a known key gets the recorded response; plain JDBC selects the same columns"
                + " of the same row; DBOS gets the id of a workflow that has run.\n\n"
                + contests(figures.replays, List.of(SEMEL, SEMEL_PLATFORM, SELECT, DBOS), SELECT)
                + "\n## Databases of rising size\n\n![Latency against stored keys](postgres-keys.svg)\n\n"
                + "A database is filled with rows as the store writes them, and takes turns with a new one of "
                + smallKeys() + " keys. New and known keys: " + MOST_CALLERS
                + " callers; queries: one caller, who gets the " + Payments.PER_CUSTOMER
                + " documents of one customer by a prefix of their keys.\n\n"
                + sizes()
                + String.format(
                        Locale.ROOT,
                        "%nWith %s keys, the store's statements were executed with %,d scans of an index and %,d of a whole"
                                + " table (`auto_explain`).%n",
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
                        "new key, callers: " + callers + ", to BEGIN, INSERT, COMMIT",
                        scores.times(SEMEL, TRANSACTION),
                        aim);
            }
        });
        for (String contender : List.of(CALLER_MANAGED, EFFECT_FIRST)) {
            aims.atLeast(
                    plainLabel(contender) + ", callers: " + MOST_CALLERS + ", to BEGIN, INSERT, COMMIT",
                    withMost(figures.fresh).times(contender, TRANSACTION),
                    CALLER_MANAGED_AIM);
        }
        figures.replays.forEach((callers, scores) -> aims.atLeast(
                "known key, callers: " + callers + ", to a SELECT by key", scores.times(SEMEL, SELECT), REPLAY_AIM));
        DatabaseSize largest = largest();
        String compared = " with " + keys(largest.keys()) + " keys, to " + smallKeys();
        return aims.atMost("time of a new key" + compared, slowdown(largest.fresh()), " ×", GROWTH_AIM)
                .atMost("time of a known key" + compared, slowdown(largest.replays()), " ×", GROWTH_AIM)
                .atMost("time of a query" + compared, slowdown(largest.queries()), " ×", GROWTH_AIM)
                .atMost("whole tables read with " + keys(largest.keys()) + " keys", figures.plans.wholeTables(), "", 0)
                .atLeast(
                        "new key, callers: " + MOST_CALLERS + ", to DBOS",
                        withMost(figures.fresh).times(SEMEL, DBOS),
                        DBOS_AIM)
                .atLeast(
                        "known key, callers: " + MOST_CALLERS + ", to DBOS",
                        withMost(figures.replays).times(SEMEL, DBOS),
                        DBOS_AIM)
                .markdown();
    }

    private String sizes() {
        StringBuilder table = new StringBuilder("| keys | MB on disk | new key, a second | p50 µs | to small |"
                + " known key, a second | p50 µs | to small | query, p50 µs | p99 µs | to small |\n"
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
