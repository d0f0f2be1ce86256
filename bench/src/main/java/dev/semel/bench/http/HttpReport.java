package dev.semel.bench.http;

import static dev.semel.bench.http.HttpFigures.ACTION;
import static dev.semel.bench.http.HttpFigures.EMPTY;
import static dev.semel.bench.http.HttpFigures.EVENTS;
import static dev.semel.bench.http.HttpFigures.EVENT_READERS;
import static dev.semel.bench.http.HttpFigures.FRESH;
import static dev.semel.bench.http.HttpFigures.FULL;
import static dev.semel.bench.http.HttpFigures.REPLAY;
import static dev.semel.bench.http.HttpFigures.RESTATE_FRESH;
import static dev.semel.bench.http.HttpFigures.RESTATE_REPLAY;

import dev.semel.bench.Aims;
import dev.semel.bench.BarChart;
import dev.semel.bench.Page;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The page of the server's benchmark: aims, all figures, and a plot. */
final class HttpReport {

    private static final Map<String, String> LABELS = Map.of(
            EMPTY, "an empty response",
            FULL, "an empty response to the request of a retry",
            REPLAY, "a retry, replayed",
            FRESH, "a new key, durable",
            ACTION, "an action over a WebSocket, durable",
            RESTATE_FRESH, "Restate: new key",
            RESTATE_REPLAY, "Restate: retry");

    private static final double REPLAY_AIM = 0.9;

    /** Ten times the new keys per second of Restate, as measured on a similar machine. */
    private static final double FRESH_AIM = 7_000;

    private static final double RESTATE_AIM = 10;
    private static final double READY_AIM = 2;
    private static final double IDLE_AIM = 256;
    private static final double GROWTH_AIM = 1.1;
    private static final double MIB = 1 << 20;

    private final HttpFigures figures;

    HttpReport(HttpFigures figures) {
        this.figures = figures;
    }

    Page page() {
        return Page.of("http", markdown(), svg());
    }

    private String markdown() {
        return "# Benchmark: the server\n\nThis page shows the throughput and latency of the server, and compares them with an empty"
                + " response and with Restate. "
                + String.format(
                        Locale.ROOT,
                        "Written by `./semel bench http` on JDK %d and %d processors, which the server and wrk share. wrk uses %d"
                                + " connections. Kinds of requests take turns, %d rounds after a warm-up."
                                + " [How to read these pages](README.md).%n%n",
                        Runtime.version().feature(),
                        Runtime.getRuntime().availableProcessors(),
                        figures.connections,
                        figures.rounds())
                + "![Requests per second](http.svg)\n\n"
                + aims()
                + "\n## Requests\n\n- A *new key* is a POST of about 50 bytes to a collection. Document, key and response are"
                + " synced to disk before the response is sent.\n"
                + "- A *retry* is the same request with the same key.\n"
                + "- An *empty response* is that of `GET /health/live`, which checks no token and uses no store. In the second row,"
                + " the request has the headers and the body of a retry, which the server parses and ignores.\n"
                + "- *Actions* are sent by a Java client over as many WebSockets, each to its own table.\n\n"
                + "| | requests per second | p50, µs | p99, µs |\n|---|---|---|---|\n"
                + row(EMPTY)
                + row(FULL)
                + row(REPLAY)
                + row(FRESH)
                + row(ACTION)
                + (figures.has(RESTATE_FRESH)
                        ? row(RESTATE_FRESH) + row(RESTATE_REPLAY)
                        : "\nRestate was not installed: `" + RestatePeer.INSTALL
                                + "` installs it, and `--restate` names the folder.\n")
                + "\n## Events\n\n"
                + String.format(
                        Locale.ROOT,
                        "%d readers of `GET /v1/feed/events` run in a process on the same machine. Under full load, the server"
                                + " delivers %,.0f events per second: %,.0f posts per second to every reader. With one post at a"
                                + " time, the time from sending the post to receiving its event is %,.0f µs (p50) and %,.0f µs"
                                + " (p99), including the sync to disk.%n",
                        EVENT_READERS,
                        figures.perSecond(EVENTS),
                        figures.perSecond(EVENTS) / EVENT_READERS,
                        figures.medianMicros(EVENTS),
                        figures.slowMicros(EVENTS));
    }

    private String aims() {
        Aims aims = new Aims()
                .atLeast(
                        "retries, relative to an empty response of the same server",
                        figures.times(REPLAY, EMPTY),
                        REPLAY_AIM)
                .atLeast("new keys per second, durable", figures.perSecond(FRESH), "", FRESH_AIM)
                .atMost("time from the command to ready", figures.readyAfter.toMillis() / 1000.0, " s", READY_AIM)
                .atMost("memory when idle", figures.idleBytes / MIB, " MiB", IDLE_AIM);
        if (figures.has(RESTATE_FRESH)) {
            aims.atLeast("new keys, relative to Restate", figures.times(FRESH, RESTATE_FRESH), RESTATE_AIM);
            aims.atLeast("retries, relative to Restate", figures.times(REPLAY, RESTATE_REPLAY), RESTATE_AIM);
        }
        return soak(aims).markdown();
    }

    private Aims soak(Aims aims) {
        List<Long> bytes = figures.soakBytes;
        if (bytes.isEmpty()) {
            return aims;
        }
        double before = Collections.max(bytes.subList(bytes.size() / 3, 2 * bytes.size() / 3));
        double after = Collections.max(bytes.subList(2 * bytes.size() / 3, bytes.size()));
        String what = String.format(
                Locale.ROOT,
                "memory under steady load (%,.0f new keys per second): maximum of the last third, relative to that of the second third"
                        + " (%,.0f MiB)",
                figures.soakPerSecond,
                before / MIB);
        return aims.atMost(what, after / before, " ×", GROWTH_AIM);
    }

    private String row(String what) {
        return String.format(
                Locale.ROOT,
                "| %s | %,.0f | %,.0f | %,.0f |%n",
                LABELS.get(what),
                figures.perSecond(what),
                figures.medianMicros(what),
                figures.slowMicros(what));
    }

    private String svg() {
        BarChart chart = new BarChart("A request, over loopback", "requests per second; more is better");
        for (String what : List.of(EMPTY, FULL, REPLAY, FRESH, ACTION)) {
            boolean ours = !what.equals(EMPTY) && !what.equals(FULL);
            chart.add(LABELS.getOrDefault(what, what), ours, List.of(figures.perSecond(what)));
        }
        return chart.svg(List.of(figures.connections + " connections"));
    }
}
