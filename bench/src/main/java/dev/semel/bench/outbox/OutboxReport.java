package dev.semel.bench.outbox;

import static dev.semel.bench.outbox.OutboxFigures.ADD;
import static dev.semel.bench.outbox.OutboxFigures.BARE;
import static dev.semel.bench.outbox.OutboxFigures.EMBEDDED;
import static dev.semel.bench.outbox.OutboxFigures.PEER;
import static dev.semel.bench.outbox.OutboxFigures.POSTGRES;
import static dev.semel.bench.outbox.OutboxFigures.WRK;

import dev.semel.bench.Aims;
import dev.semel.bench.BarChart;
import dev.semel.bench.Contest.Score;
import dev.semel.bench.Contest.Scores;
import dev.semel.bench.Page;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The page of the outbox's benchmark: aims, all figures, and a plot. */
final class OutboxReport {

    private static final double WRK_AIM = 0.5;
    private static final double PEER_AIM = 5;
    private static final double ADDING_AIM = 0.8;

    private static final Map<String, String> LABELS = new LinkedHashMap<>();

    static {
        LABELS.put(WRK, "wrk, nothing stored");
        LABELS.put(EMBEDDED, "outbox, embedded store");
        LABELS.put(POSTGRES, "outbox, PostgreSQL");
        LABELS.put(PEER, "transaction-outbox, PostgreSQL");
    }

    private final OutboxFigures figures;

    OutboxReport(OutboxFigures figures) {
        this.figures = figures;
    }

    Page page() {
        return Page.of("outbox", markdown(), svg());
    }

    private String markdown() {
        return "# Benchmark: the outbox\n\nThis page shows how fast entries are added to an outbox and sent to a server, and compares it"
                + " with bare RocksDB, with wrk and with transaction-outbox. "
                + String.format(
                        Locale.ROOT,
                        "Written by `./semel bench outbox` on JDK %d and %d processors, which the senders share with the server and"
                                + " PostgreSQL. Contenders take turns, %d rounds after a warm-up."
                                + " [How to read these pages](README.md).%n%n",
                        Runtime.version().feature(),
                        Runtime.getRuntime().availableProcessors(),
                        figures.rounds())
                + "![Requests per second](outbox.svg)\n\n"
                + aims()
                + "\n## Sending\n\n"
                + String.format(
                        Locale.ROOT,
                        "%,d entries in %d lanes wait when the time starts. It ends when all are confirmed. All contenders POST `%s` to"
                                + " `%s` of a server with the embedded store, each with a new key, over %d connections.%n%n",
                        figures.entries,
                        figures.lanes(),
                        Target.PAYLOAD,
                        Target.ENDPOINT,
                        figures.connections)
                + "- *wrk* keeps all connections busy, and stores nothing.\n"
                + "- An *outbox* reads each entry from its store, sends it, and records the confirmation durably.\n"
                + "- *transaction-outbox* reads and locks each entry, sends the same request with the same HTTP client, and deletes the"
                + " entry. It does not keep an order.\n\n"
                + "| | requests per second | range |\n|---|---|---|\n"
                + sendingRows()
                + "\n## Adding\n\n"
                + String.format(
                        Locale.ROOT,
                        "Adding an entry with this payload writes %,d bytes, synced to disk. *Bare RocksDB* writes rows of the same"
                                + " sizes in one synced batch.%n%n",
                        figures.bytesPerEntry)
                + "| callers | | entries per second | range | p50, µs | p99, µs |\n|---|---|---|---|---|---|\n"
                + addingRows();
    }

    private String aims() {
        Aims aims = new Aims()
                .atLeast("sending, embedded store, relative to wrk", figures.times(EMBEDDED, WRK), WRK_AIM)
                .atLeast(
                        "sending, PostgreSQL, relative to transaction-outbox", figures.times(POSTGRES, PEER), PEER_AIM);
        figures.adding.forEach((callers, scores) -> aims.atLeast(
                "adding, " + callers + (callers == 1 ? " caller" : " callers") + ", relative to bare RocksDB",
                scores.times(ADD, BARE),
                ADDING_AIM));
        return aims.markdown();
    }

    private String sendingRows() {
        StringBuilder rows = new StringBuilder();
        LABELS.forEach((what, label) -> rows.append(String.format(
                Locale.ROOT, "| %s | %,.0f | %s |%n", label, figures.perSecond(what), figures.spread(what))));
        return rows.toString();
    }

    private String addingRows() {
        StringBuilder rows = new StringBuilder();
        figures.adding.forEach((callers, scores) -> rows.append(addingRow(callers, "**outbox**", scores, ADD))
                .append(addingRow(callers, "bare RocksDB", scores, BARE)));
        return rows.toString();
    }

    private static String addingRow(int callers, String label, Scores scores, String what) {
        Score score = scores.of(what);
        return String.format(
                Locale.ROOT,
                "| %d | %s | %,.0f | %s | %,.0f | %,.0f |%n",
                callers,
                label,
                score.perSecond(),
                score.spread(),
                score.nanos(0.5) / 1000,
                score.nanos(0.99) / 1000);
    }

    private String svg() {
        BarChart chart = new BarChart("Sending entries", "requests per second; more is better");
        LABELS.forEach((what, label) ->
                chart.add(label, what.equals(EMBEDDED) || what.equals(POSTGRES), List.of(figures.perSecond(what))));
        return chart.svg(List.of(figures.connections + " connections"));
    }
}
