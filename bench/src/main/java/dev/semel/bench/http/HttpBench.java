package dev.semel.bench.http;

import static dev.semel.bench.http.HttpFigures.ACTION;
import static dev.semel.bench.http.HttpFigures.EMPTY;
import static dev.semel.bench.http.HttpFigures.EVENTS;
import static dev.semel.bench.http.HttpFigures.FRESH;
import static dev.semel.bench.http.HttpFigures.FULL;
import static dev.semel.bench.http.HttpFigures.REPLAY;
import static dev.semel.bench.http.HttpFigures.RESTATE_FRESH;
import static dev.semel.bench.http.HttpFigures.RESTATE_REPLAY;

import dev.semel.bench.Output;
import dev.semel.bench.Program;
import dev.semel.bench.Progress;
import dev.semel.bench.RoundsOption;
import dev.semel.bench.TempFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures requests with new keys and retries next to an empty request on the same server, and the delivery of events. */
@Command(
        name = "http",
        description = {
            "Measures requests to a server on loopback next to an empty response and Restate. Takes about 4 minutes."
                    + " Requires wrk.",
            "For a short run: --rounds 1"
        })
public final class HttpBench implements Callable<Integer> {

    private static final int CONNECTIONS = 64;
    private static final Duration WARM_UP = Duration.ofSeconds(8);
    private static final Duration LOAD = Duration.ofSeconds(5);
    private static final int POSTS = 3_200;
    private static final int SINGLE_POSTS = 200;
    private static final double SOAK_SHARE = 0.8;
    private static final int SAMPLES = 30;

    @Spec
    private CommandSpec spec;

    @Mixin
    private final RoundsOption rounds = new RoundsOption(5);

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--soak",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description =
                    "How long the server is kept at four fifths of its load, to measure its memory. Default: ${DEFAULT-VALUE}.")
    private int soakSeconds;

    @Option(
            names = "--restate",
            paramLabel = "FOLDER",
            defaultValue = "${sys:semel.home:-.}/node_modules",
            description = "Folder with the npm packages of Restate. Without them, Restate is not measured."
                    + " Default: node_modules.")
    private @Nullable Path restate;

    @Override
    public Integer call() throws Exception {
        Program.requireAtLeast(0, "--soak", soakSeconds, spec);
        int count = rounds.rounds();
        if (!Wrk.isInstalled()) {
            spec.commandLine()
                    .getErr()
                    .println("semel bench http: wrk is required and not installed (package wrk on Debian)");
            return ExitCode.SOFTWARE;
        }
        output.write(new HttpReport(measure(count)).page());
        return ExitCode.OK;
    }

    private HttpFigures measure(int rounds) throws IOException, InterruptedException {
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
                Progress.show("warming up: %s", what);
                load(wrk, server, requests, actions, what, WARM_UP);
            }
            for (int round = 1; round <= rounds; round++) {
                for (String what : new String[] {EMPTY, FULL, REPLAY, FRESH, ACTION}) {
                    Progress.show("round %d of %d: %s", round, rounds, what);
                    figures.add(what, load(wrk, server, requests, actions, what, LOAD));
                }
            }
            restate(figures, wrk, requests, rounds);
            events(figures, server, rounds);
            if (soakSeconds > 0) {
                soak(figures, wrk, server, requests);
            }
        }
        return figures;
    }

    /** Runs beside our own server, which is idle meanwhile. */
    private void restate(HttpFigures figures, Wrk wrk, Requests requests, int rounds) throws InterruptedException {
        Path modules = Objects.requireNonNull(restate);
        if (!RestatePeer.isInstalled(modules)) {
            Progress.print("Restate is not in " + modules + ", and is not measured: " + RestatePeer.INSTALL);
            return;
        }
        try (RestatePeer peer = RestatePeer.start(modules)) {
            for (String what : new String[] {FRESH, REPLAY}) {
                Progress.show("warming up: Restate, %s", what);
                wrk.load(peer.url(), requests.script(what, 0), WARM_UP);
            }
            for (int round = 1; round <= rounds; round++) {
                Progress.show("round %d of %d: Restate", round, rounds);
                figures.add(RESTATE_FRESH, wrk.load(peer.url(), requests.script(FRESH, 0), LOAD));
                figures.add(RESTATE_REPLAY, wrk.load(peer.url(), requests.script(REPLAY, 0), LOAD));
            }
        }
    }

    private static void events(HttpFigures figures, ServerProcess server, int rounds) throws InterruptedException {
        try (EventReaders readers = new EventReaders(server, HttpFigures.EVENT_READERS)) {
            Progress.show("warming up: %s", EVENTS);
            readers.load(POSTS, SINGLE_POSTS);
            for (int round = 1; round <= rounds; round++) {
                Progress.show("round %d of %d: %s", round, rounds, EVENTS);
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
        for (int sample = 1; sample <= SAMPLES; sample++) {
            TimeUnit.MILLISECONDS.sleep(soakSeconds * 1000L / (SAMPLES + 1));
            figures.soakBytes.add(server.residentBytes());
            Progress.show("soak %d %%: %d MiB", 100 * sample / SAMPLES, server.residentBytes() >> 20);
        }
        figures.soakPerSecond = load.join().perSecond();
    }

    /** Creates the wrk scripts of the requests. */
    private record Requests(String token) {

        private static final String ONE_KEY = "the-one";
        private static final String BODY = "{\"item\":\"coffee\",\"count\":2,\"note\":\"black, please\"}";

        private String path(String what) {
            return what.equals(EMPTY) || what.equals(FULL) ? "/health/live" : "/v1/collections/orders/records";
        }

        /** @param pauseMillis pause of each connection between two requests */
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
