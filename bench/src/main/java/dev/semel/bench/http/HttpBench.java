package dev.semel.bench.http;

import static dev.semel.bench.http.HttpFigures.ACTION;
import static dev.semel.bench.http.HttpFigures.EMPTY;
import static dev.semel.bench.http.HttpFigures.EVENTS;
import static dev.semel.bench.http.HttpFigures.FRESH;
import static dev.semel.bench.http.HttpFigures.FULL;
import static dev.semel.bench.http.HttpFigures.REPLAY;
import static dev.semel.bench.http.HttpFigures.RESTATE_FRESH;
import static dev.semel.bench.http.HttpFigures.RESTATE_REPLAY;

import dev.semel.bench.TempFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a request costs: new ones and retries next to one that does nothing, on the same server; and how soon it is told. */
@Command(
        name = "http",
        description = {
            "Loads a server on loopback with wrk, which has to be installed: requests with new keys and retries, next to"
                    + " requests that do nothing, and actions over WebSockets; takes about four minutes.",
            "With --soak it is then kept under load, and its memory is looked at."
        })
public final class HttpBench implements Callable<Integer> {

    private static final int CONNECTIONS = 64;
    private static final Duration WARM_UP = Duration.ofSeconds(8);
    private static final Duration LOAD = Duration.ofSeconds(5);
    private static final int POSTS = 3_200;
    private static final int SINGLE_POSTS = 200;
    private static final double SOAK_SHARE = 0.8;
    private static final int LOOKS = 30;
    private static final PrintStream PROGRESS = System.err;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often everything is measured in turn; 5 unless said otherwise.")
    private int rounds;

    @Option(
            names = "--soak",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description =
                    "How long it is kept at four fifths of its load afterwards; not at all unless said otherwise.")
    private int soakSeconds;

    @Option(
            names = "--restate",
            paramLabel = "DIR",
            defaultValue = "${sys:semel.home:-.}/node_modules",
            description =
                    "The node_modules that hold Restate, to be measured beside; those of this folder unless said otherwise.")
    private @Nullable Path restate;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "${sys:semel.home:-.}/docs/benchmarks",
            description = "Where the page (http.md) and its plot (http.svg) go; docs/benchmarks unless said otherwise.")
    private @Nullable Path out;

    @Override
    public Integer call() throws Exception {
        if (rounds < 1 || soakSeconds < 0) {
            throw new ParameterException(spec.commandLine(), "--rounds has to be 1 or more, and --soak 0 or more");
        }
        if (!Wrk.isInstalled()) {
            spec.commandLine().getErr().println("semel bench: needs wrk, which is not installed (Debian: package wrk)");
            return ExitCode.SOFTWARE;
        }
        Path folder = Objects.requireNonNull(out);
        HttpReport report = new HttpReport(measure());
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("http.md"), report.markdown());
        Files.writeString(folder.resolve("http.svg"), report.svg());
        PROGRESS.println("Wrote " + folder.resolve("http.md") + " and " + folder.resolve("http.svg"));
        return ExitCode.OK;
    }

    private HttpFigures measure() throws IOException, InterruptedException {
        HttpFigures figures = new HttpFigures(CONNECTIONS);
        try (TempFolder temp = TempFolder.create("semel-bench-");
                ServerProcess server = ServerProcess.start(
                        Path.of(System.getProperty("semel.home", ".")),
                        temp.path().resolve("data"))) {
            figures.readyAfter = server.readyAfter();
            TimeUnit.SECONDS.sleep(5);
            figures.idleBytes = server.residentBytes();
            Wrk wrk = new Wrk(temp.path(), CONNECTIONS);
            Requests requests = new Requests(server.token("ann"));
            ActionLoad actions = new ActionLoad(server, requests.token, CONNECTIONS);
            server.post(requests.path(REPLAY), requests.token, Requests.ONE_KEY, Requests.BODY);
            for (String what : new String[] {EMPTY, FULL, REPLAY, FRESH, ACTION}) {
                say("warming up: " + what);
                load(wrk, server, requests, actions, what, WARM_UP);
            }
            for (int round = 1; round <= rounds; round++) {
                for (String what : new String[] {EMPTY, FULL, REPLAY, FRESH, ACTION}) {
                    say("round " + round + " of " + rounds + ": " + what);
                    figures.add(what, load(wrk, server, requests, actions, what, LOAD));
                }
            }
            restate(figures, wrk, requests);
            events(figures, server);
            if (soakSeconds > 0) {
                soak(figures, wrk, server, requests);
            }
        }
        PROGRESS.println();
        return figures;
    }

    /** Beside our own server, which has nothing to do meanwhile. */
    private void restate(HttpFigures figures, Wrk wrk, Requests requests) throws InterruptedException {
        Path modules = Objects.requireNonNull(restate);
        if (!RestatePeer.isInstalled(modules)) {
            PROGRESS.println("\nRestate is not in " + modules + ", and is not measured: " + RestatePeer.INSTALL);
            return;
        }
        try (RestatePeer peer = RestatePeer.start(modules)) {
            for (String what : new String[] {FRESH, REPLAY}) {
                say("warming up: Restate, " + what);
                wrk.load(peer.url(), requests.script(what, 0), WARM_UP);
            }
            for (int round = 1; round <= rounds; round++) {
                say("round " + round + " of " + rounds + ": Restate");
                figures.add(RESTATE_FRESH, wrk.load(peer.url(), requests.script(FRESH, 0), LOAD));
                figures.add(RESTATE_REPLAY, wrk.load(peer.url(), requests.script(REPLAY, 0), LOAD));
            }
        }
    }

    private void events(HttpFigures figures, ServerProcess server) throws InterruptedException {
        try (EventReaders readers = new EventReaders(server, HttpFigures.EVENT_READERS)) {
            say("warming up: " + EVENTS);
            readers.load(POSTS, SINGLE_POSTS);
            for (int round = 1; round <= rounds; round++) {
                say("round " + round + " of " + rounds + ": " + EVENTS);
                figures.add(EVENTS, readers.load(POSTS, SINGLE_POSTS));
            }
        }
    }

    private static Wrk.Load load(
            Wrk wrk, ServerProcess server, Requests requests, ActionLoad actions, String what, Duration time) {
        if (what.equals(ACTION)) {
            return actions.load(time);
        }
        return wrk.load(server.url() + requests.path(what), requests.script(what, 0), time);
    }

    private void soak(HttpFigures figures, Wrk wrk, ServerProcess server, Requests requests)
            throws InterruptedException {
        double aim = SOAK_SHARE * figures.perSecond(FRESH);
        int pauseMillis = (int) Math.max(1, Math.round(1000 * CONNECTIONS / aim - figures.medianMicros(FRESH) / 1000));
        CompletableFuture<Wrk.Load> load = CompletableFuture.supplyAsync(() -> wrk.load(
                server.url() + requests.path(FRESH),
                requests.script(FRESH, pauseMillis),
                Duration.ofSeconds(soakSeconds)));
        for (int look = 1; look <= LOOKS; look++) {
            TimeUnit.MILLISECONDS.sleep(soakSeconds * 1000L / (LOOKS + 1));
            figures.soakBytes.add(server.residentBytes());
            say(String.format(Locale.ROOT, "soak %d %%: %d MiB", 100 * look / LOOKS, server.residentBytes() >> 20));
        }
        figures.soakPerSecond = load.join().perSecond();
    }

    private static void say(String what) {
        PROGRESS.printf("\r%-60s", what);
    }

    /** What is sent. */
    private record Requests(String token) {

        private static final String ONE_KEY = "the-one";
        private static final String BODY = "{\"item\":\"coffee\",\"count\":2,\"note\":\"black, please\"}";

        private String path(String what) {
            return what.equals(EMPTY) || what.equals(FULL) ? "/health/live" : "/v1/collections/orders/records";
        }

        /** @param pauseMillis what each connection waits between two requests */
        private String script(String what, int pauseMillis) {
            if (what.equals(EMPTY)) {
                return "";
            }
            String common = "wrk.method = '" + (what.equals(FULL) ? "GET" : "POST") + "'\n"
                    + "wrk.body = '" + BODY + "'\n"
                    + "wrk.headers['Authorization'] = 'Bearer " + token + "'\n"
                    + "wrk.headers['Content-Type'] = 'application/json'\n";
            if (what.equals(REPLAY) || what.equals(FULL)) {
                return common + "wrk.headers['Idempotency-Key'] = '" + ONE_KEY + "'\n";
            }
            return common
                    + "math.randomseed(os.time())\n"
                    + "local prefix = tostring(os.time()) .. '-' .. tostring(math.random(1e9)) .. '-'\n"
                    + "local count = 0\n"
                    + "function request()\n"
                    + "  count = count + 1\n"
                    + "  wrk.headers['Idempotency-Key'] = prefix .. count\n"
                    + "  return wrk.format()\n"
                    + "end\n"
                    + (pauseMillis > 0 ? "function delay() return " + pauseMillis + " end\n" : "");
        }
    }
}
