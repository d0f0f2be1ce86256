package dev.semel.bench.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.semel.bench.Contest.Effort;
import dev.semel.bench.LeftBehind;
import dev.semel.bench.outbox.OutboxRun.Size;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short run writes the page. Speed is not tested. */
class OutboxBenchTest {

    private static final int ENTRIES = 30;
    private static final int OUTBOXES = 3;
    private static final int ROUNDS = 4; // three to warm up

    @TempDir
    Path out;

    private final List<String> keys = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer api;

    @BeforeEach
    void startApi() throws IOException {
        api = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        api.setExecutor(threads);
        api.createContext(Target.ENDPOINT, this::respond);
        api.start();
    }

    @AfterEach
    void stopApi() {
        api.stop(0);
        threads.shutdownNow();
    }

    private void respond(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        keys.add(Objects.requireNonNull(exchange.getRequestHeaders().getFirst("Idempotency-Key")));
        exchange.getResponseHeaders()
                .set(
                        "X-Client-Tx-Id",
                        Objects.requireNonNull(exchange.getRequestHeaders().getFirst("X-Client-Tx-Id")));
        exchange.sendResponseHeaders(201, -1);
        exchange.close();
    }

    @Test
    void briefRun_sendsEachEntryOnce_andWritesAimsFiguresAndPlot_andLeavesNothingElse() throws Exception {
        Size size = new Size(ENTRIES, 2, new Effort(1, Duration.ofMillis(20)));
        Target target =
                new Target(URI.create("http://127.0.0.1:" + api.getAddress().getPort()), "token");

        OutboxBench.measure(size, target, any -> 1_000).write(out);

        assertThat(keys).hasSize(ENTRIES * OUTBOXES * ROUNDS).doesNotHaveDuplicates();
        assertThat(LeftBehind.folders()).isEmpty();
        assertThat(Files.readString(out.resolve("outbox.md")))
                .contains("## Aims", "## Sending", "## Adding", "30 entries in 8 lanes", "over 2 connections")
                .contains(
                        "| sending, embedded store, relative to wrk |",
                        "| sending, PostgreSQL, relative to transaction-outbox |",
                        "| adding, 1 caller, relative to bare RocksDB |")
                .contains("| wrk, nothing stored | 1,000 |", "| 64 | **outbox** |", "| 8 | bare RocksDB |")
                .doesNotContain("NaN");
        assertThat(Files.readString(out.resolve("outbox.svg")))
                .startsWith("<svg")
                .contains("outbox, embedded store")
                .endsWith("</svg>\n");
    }
}
