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

import dev.semel.bench.BarChart;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Tells what was measured: aims first, then every figure, and a plot. */
final class HttpReport {

    private static final Map<String, String> LABELS = Map.of(
            EMPTY, "an empty answer in JSON",
            FULL, "an empty answer to what a retry sends",
            REPLAY, "a retry, from the record",
            FRESH, "a new key, durable",
            ACTION, "an action over a WebSocket, durable",
            RESTATE_FRESH, "Restate: new key",
            RESTATE_REPLAY, "Restate: retry");

    private static final double REPLAY_AIM = 0.9;

    /** Ten times what a workflow engine of good name does with new keys, measured elsewhere in the same conditions. */
    private static final double FRESH_AIM = 7_000;

    private static final double RESTATE_AIM = 10;
    private static final double READY_AIM = 2;
    private static final long IDLE_AIM = 256L << 20;
    private static final double FLAT = 1.1;

    private final HttpFigures figures;

    HttpReport(HttpFigures figures) {
        this.figures = figures;
    }

    String markdown() {
        return "# HTTP: how fast\n\n"
                + String.format(
                        Locale.ROOT,
                        "Written by `./semel bench http`. JDK %d, %d processors, which the server shares with wrk that loads it"
                                + " over %d connections. Requests take turns, %d rounds after a warm-up; figures are medians"
                                + " over the rounds, and ratios those of loads that followed one another. Compare ratios, not"
                                + " requests a second: machines differ and are noisy.%n%n",
                        Runtime.version().feature(),
                        Runtime.getRuntime().availableProcessors(),
                        figures.connections,
                        figures.rounds())
                + "![Requests a second](http.svg)\n\n## Aims\n\n| what | measured | aim | reached |\n|---|---|---|---|\n"
                + aim(
                        "retries, to an empty answer of the same server",
                        "%.2f ×",
                        figures.times(REPLAY, EMPTY),
                        "at least 0.9 ×",
                        figures.times(REPLAY, EMPTY) >= REPLAY_AIM)
                + aim(
                        "new keys, durable, a second",
                        "%.0f",
                        figures.perSecond(FRESH),
                        "at least 7000",
                        figures.perSecond(FRESH) >= FRESH_AIM)
                + aim(
                        "from the command to being ready",
                        "%.2f s",
                        figures.readyAfter.toMillis() / 1000.0,
                        "at most 2 s",
                        figures.readyAfter.toMillis() <= READY_AIM * 1000)
                + aim(
                        "memory when idle",
                        "%.0f MiB",
                        figures.idleBytes / 1048576.0,
                        "below 256 MiB",
                        figures.idleBytes < IDLE_AIM)
                + restate("new keys, to Restate's", FRESH, RESTATE_FRESH)
                + restate("retries, to Restate's", REPLAY, RESTATE_REPLAY)
                + soak()
                + "\n## Requests\n\nA new key is a POST to a collection of about 50 bytes, stored with its key and its answer,"
                + " and on disk before it is answered. A retry is the same request with the same key. An empty answer is"
                + " `GET /health/live`, which needs no token, reads nothing and stores nothing; to what a retry sends, it is the"
                + " same with a retry's headers and body, which are parsed and not looked at. Actions are sent over as many"
                + " WebSockets, each at a table of its own, by a client in Java.\n\n"
                + "| | requests a second | half within, µs | 99 of 100 within, µs |\n|---|---|---|---|\n"
                + row(EMPTY)
                + row(FULL)
                + row(REPLAY)
                + row(FRESH)
                + row(ACTION)
                + (figures.has(RESTATE_FRESH)
                        ? row(RESTATE_FRESH) + row(RESTATE_REPLAY)
                        : "\nRestate was not there to be measured: `" + RestatePeer.INSTALL
                                + "` brings it, and `--restate` says where.\n")
                + "\n## Events\n\n"
                + String.format(
                        Locale.ROOT,
                        "To %d readers of `GET /v1/feed/events`, in a process that shares the processors. As fast as posts are taken:"
                                + " %.0f events a second are delivered, that is %.0f posts a second to all. One post after another:"
                                + " half of the readers have its event within %.0f µs, 99 of 100 within %.0f µs, from the moment"
                                + " the post is sent, its way to the disk included.%n",
                        EVENT_READERS,
                        figures.perSecond(EVENTS),
                        figures.perSecond(EVENTS) / EVENT_READERS,
                        figures.medianMicros(EVENTS),
                        figures.slowMicros(EVENTS));
    }

    private static String aim(String what, String format, double measured, String aim, boolean reached) {
        return "| " + what + " | " + String.format(Locale.ROOT, format, measured) + " | " + aim + " | "
                + (reached ? "yes" : "**no**") + " |\n";
    }

    /** Loads of two servers took turns, so that each met the same machine. */
    private String restate(String what, String ours, String theirs) {
        return figures.has(theirs)
                ? aim(
                        what,
                        "%.1f ×",
                        figures.times(ours, theirs),
                        "at least 10 ×",
                        figures.times(ours, theirs) >= RESTATE_AIM)
                : "";
    }

    private String soak() {
        List<Long> bytes = figures.soakBytes;
        if (bytes.isEmpty()) {
            return "";
        }
        double before = Collections.max(bytes.subList(bytes.size() / 3, 2 * bytes.size() / 3));
        double after = Collections.max(bytes.subList(2 * bytes.size() / 3, bytes.size()));
        return aim(
                String.format(
                        Locale.ROOT,
                        "memory under steady load (%.0f new keys a second): most of the last third to most of the one before",
                        figures.soakPerSecond),
                "%.2f × of " + Math.round(before / 1048576) + " MiB",
                after / before,
                "at most 1.1 ×",
                after <= FLAT * before);
    }

    private String row(String what) {
        return String.format(
                Locale.ROOT,
                "| %s | %.0f | %.0f | %.0f |%n",
                LABELS.get(what),
                figures.perSecond(what),
                figures.medianMicros(what),
                figures.slowMicros(what));
    }

    String svg() {
        BarChart chart = new BarChart("A request, over loopback", "requests a second");
        for (String what : List.of(EMPTY, FULL, REPLAY, FRESH, ACTION)) {
            boolean ours = !what.equals(EMPTY) && !what.equals(FULL);
            chart.add(LABELS.getOrDefault(what, what), ours, List.of(figures.perSecond(what)));
        }
        return chart.svg(List.of(figures.connections + " connections"));
    }
}
