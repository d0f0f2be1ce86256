package dev.semel.bench.postgres;

import static dev.semel.bench.postgres.PostgresFigures.AUTOCOMMIT;
import static dev.semel.bench.postgres.PostgresFigures.DBOS;
import static dev.semel.bench.postgres.PostgresFigures.EFFECT_FIRST;
import static dev.semel.bench.postgres.PostgresFigures.LARGE;
import static dev.semel.bench.postgres.PostgresFigures.OWN;
import static dev.semel.bench.postgres.PostgresFigures.SELECT;
import static dev.semel.bench.postgres.PostgresFigures.SEMEL;
import static dev.semel.bench.postgres.PostgresFigures.SEMEL_PLATFORM;
import static dev.semel.bench.postgres.PostgresFigures.SMALL;
import static dev.semel.bench.postgres.PostgresFigures.TRANSACTION;
import static dev.semel.bench.postgres.PostgresRun.MOST_CALLERS;

import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Contest.Scores;
import dev.semel.bench.ContestReport;
import dev.semel.bench.LineChart;
import dev.semel.bench.Payments;
import dev.semel.bench.postgres.PostgresFigures.Size;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Tells what was measured: aims first, then every figure, and two plots. */
final class PostgresReport extends ContestReport {

    private static final Map<Integer, Double> FRESH_AIMS = Map.of(1, 1.0, MOST_CALLERS, 1.5);
    private static final double OWN_AIM = 0.75;
    private static final double REPLAY_AIM = 0.9;
    private static final double GROWTH_AIM = 1.5;
    private static final double DBOS_AIM = 5;
    private static final Map<String, String> LABELS = Map.of(
            SEMEL, "**once-call**",
            SEMEL_PLATFORM, "once-call, platform threads",
            TRANSACTION, "BEGIN, INSERT, COMMIT",
            AUTOCOMMIT, "INSERT that commits itself",
            OWN, "**own INSERT in a once-call**",
            EFFECT_FIRST, "**own INSERT, effect first**",
            SELECT, "SELECT by key",
            DBOS, "DBOS Java");
    private static final List<String> FRESH =
            List.of(SEMEL, SEMEL_PLATFORM, OWN, EFFECT_FIRST, TRANSACTION, AUTOCOMMIT, DBOS);

    private final PostgresFigures figures;
    private final Effort effort;

    PostgresReport(PostgresFigures figures, Effort effort) {
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

    private static Scores withMost(Map<Integer, Scores> contests) {
        return Objects.requireNonNull(contests.get(MOST_CALLERS));
    }

    String markdown() {
        return "# The PostgreSQL store: how fast\n\n"
                + opening("postgres", effort)
                + "PostgreSQL " + figures.version + " on the same machine, with `fsync`, `synchronous_commit` and"
                + " `full_page_writes` on; " + settings() + ".\n\n"
                + aims(aims())
                + "\n## New keys\n\n![Calls a second against callers](postgres-callers.svg)\n\n"
                + "A once-call with a new key writes its record, a document of about 100 bytes and a further key. The"
                + " yardstick inserts the key and the bytes of the document, and nothing else, into a table with a primary"
                + " key, by plain JDBC on a pool with a connection for each caller: in a transaction, and in one statement"
                + " that commits itself. The store has eight connections, whose callers share round trips. Once-calls come"
                + " from virtual threads where the JVM has them, as the server's do, and from platform threads beside. An"
                + " own INSERT is the yardstick's, in one transaction with its key, on the yardstick's connections. DBOS"
                + " runs a workflow of one step that does nothing but answer. Quotas are off.\n\n"
                + contests(figures.fresh, FRESH, TRANSACTION)
                + "\n## Known keys\n\nA call with a known key is answered from its record; plain JDBC selects what a replay"
                + " needs of the same row; DBOS is asked for a workflow that has run.\n\n"
                + contests(figures.replays, List.of(SEMEL, SEMEL_PLATFORM, SELECT, DBOS), SELECT)
                + "\n## Databases of rising size\n\n![Latency against stored keys](postgres-keys.svg)\n\n"
                + "A database is filled with rows as the store writes them; the fuller one takes turns with one of "
                + smallKeys() + " keys that is new each time. New and known keys: " + MOST_CALLERS
                + " callers; queries: one, who asks for the " + Payments.OF_A_CUSTOMER
                + " documents of one customer by a prefix of their keys.\n\n"
                + sizes()
                + String.format(
                        Locale.ROOT,
                        "%nWith %s keys, what the store sends was carried out by %,d scans of an index and %,d of a whole"
                                + " table (`auto_explain`).%n",
                        keys(largest().keys()),
                        figures.plans.indexScans(),
                        figures.plans.wholeTables());
    }

    private static String settings() {
        StringBuilder settings = new StringBuilder();
        PostgresBench.SETTINGS.forEach((name, value) -> settings.append(settings.length() == 0 ? "" : ", ")
                .append('`')
                .append(name)
                .append('=')
                .append(value)
                .append('`'));
        return settings.toString();
    }

    private String aims() {
        StringBuilder aims = new StringBuilder();
        figures.fresh.forEach((callers, scores) -> {
            Double aim = FRESH_AIMS.get(callers);
            if (aim != null) {
                aims.append(atLeast(
                        "new key, callers: " + callers + ", to BEGIN, INSERT, COMMIT",
                        scores.times(SEMEL, TRANSACTION),
                        aim));
            }
        });
        for (String own : List.of(OWN, EFFECT_FIRST)) {
            aims.append(atLeast(
                    label(own).replace("**", "") + ", callers: " + MOST_CALLERS + ", to BEGIN, INSERT, COMMIT",
                    withMost(figures.fresh).times(own, TRANSACTION),
                    OWN_AIM));
        }
        figures.replays.forEach((callers, scores) -> aims.append(atLeast(
                "known key, callers: " + callers + ", to a SELECT by key", scores.times(SEMEL, SELECT), REPLAY_AIM)));
        Size largest = largest();
        String among = " with " + keys(largest.keys()) + " keys, to " + smallKeys();
        aims.append(atMost("time of a new key" + among, slowdown(largest.fresh()), " ×", GROWTH_AIM));
        aims.append(atMost("time of a known key" + among, slowdown(largest.replays()), " ×", GROWTH_AIM));
        aims.append(atMost("time of a query" + among, slowdown(largest.queries()), " ×", GROWTH_AIM));
        aims.append(
                atMost("whole tables read with " + keys(largest.keys()) + " keys", figures.plans.wholeTables(), "", 0));
        aims.append(atLeast(
                "new key, callers: " + MOST_CALLERS + ", to DBOS",
                withMost(figures.fresh).times(SEMEL, DBOS),
                DBOS_AIM));
        aims.append(atLeast(
                "known key, callers: " + MOST_CALLERS + ", to DBOS",
                withMost(figures.replays).times(SEMEL, DBOS),
                DBOS_AIM));
        return aims.toString();
    }

    private static double slowdown(Scores scores) {
        return scores.times(SMALL, LARGE);
    }

    private String sizes() {
        StringBuilder table = new StringBuilder("| keys | MB on disk | new key, a second | p50 µs | to small |"
                + " known key, a second | p50 µs | to small | query, p50 µs | p99 µs | to small |\n"
                + "|---|---|---|---|---|---|---|---|---|---|---|\n");
        for (Size size : figures.sizes) {
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

    String callersPlot() {
        return callersPlot(
                "New keys: throughput against callers",
                "calls a second, each waits for the disk; more is better",
                figures.fresh,
                List.of(SEMEL, TRANSACTION, AUTOCOMMIT, EFFECT_FIRST));
    }

    String keysPlot() {
        return new LineChart(
                        "Latency against stored keys",
                        "median of a call, µs; less is better",
                        figures.sizes.stream().map(size -> keys(size.keys())).toList())
                .add("new key", medians(Size::fresh, LARGE))
                .add("new key, small database", medians(Size::fresh, SMALL))
                .add("query of 20", medians(Size::queries, LARGE))
                .add("query of 20, small database", medians(Size::queries, SMALL))
                .svg();
    }

    private List<Double> medians(Function<Size, Scores> contest, String name) {
        return figures.sizes.stream()
                .map(size -> micros(contest.apply(size).of(name), 0.5))
                .toList();
    }
}
