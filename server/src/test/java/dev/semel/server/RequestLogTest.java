package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.Idempotency;
import dev.semel.memory.MemoryStore;
import dev.semel.once.OnceSettings.IfExpired;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.log.Log;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes.Access;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.FaultyStore;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The log entry of a request with a key names the outcome of the call. */
class RequestLogTest {

    private static final String KEY = "Idempotency-Key";
    private static final int WITHOUT_KEY = 50;

    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final ControlledTime time = new ControlledTime();
    private final FaultyStore store = new FaultyStore(new MemoryStore(time, 1 << 20));
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @BeforeEach
    void capture() {
        Log.setOutput(log);
        Log.setLevel(Level.INFO);
    }

    @AfterEach
    void stopCapturing() {
        Log.setOutput(new FileOutputStream(FileDescriptor.err));
        Log.setLevel(Level.WARN);
    }

    private List<App> apps(Apps apps) {
        return List.of(routes -> {
            routes.atomic("POST", "/echo", request -> ApiResponse.created(request.object()));
            routes.atomic("POST", "/slow", this::slow);
            routes.atomic("POST", "/broken", request -> {
                throw new IllegalStateException("broken");
            });
            routes.add("POST", "/open", Idempotency.leased(IfAbandoned.FREEZE), Access.USERS, request -> {
                throw new AssertionError("an error leaves the outcome unknown");
            });
        });
    }

    private ApiResponse slow(Request request) {
        started.countDown();
        await(mayEnd);
        return ApiResponse.created(JsonText.object());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void requestWithKey_isLoggedWithItsOutcome() throws Exception {
        try (ServerFixture server = ServerFixture.on(
                store,
                time,
                this::apps,
                settings -> settings.withOnce(once ->
                        once.withQuota(new Quota(2, Duration.ofHours(1))).withIfExpired(IfExpired.REJECT)))) {
            Client ann = server.as("ann");
            post(ann, "/echo", "{}", "k1", "executed");
            post(ann, "/echo", "{ }", "k1", "replayed");
            post(ann, "/echo", "{\"a\":1}", "k1", "mismatch");
            CompletableFuture<Reply> first =
                    CompletableFuture.supplyAsync(() -> post(ann, "/slow", "{}", "k2", "executed-slowly"));
            await(started);
            post(ann, "/slow", "{}", "k2", "in-progress");
            mayEnd.countDown();
            first.get(1, TimeUnit.MINUTES);
            post(ann, "/echo", "{}", "k3", "limited");
            post(server.as("bob"), "/broken", "{}", "k1", "failed");
            post(server.as("bob"), "/open", "{}", "k1", "unknown");
            store.goDown();
            post(ann, "/echo", "{}", "k1", "store-down");
            store.comeUp();
            time.advance(Duration.ofHours(25));
            Client later = server.as("ann"); // the first token has expired, too
            post(later, "/echo", "{}", "k1", "expired");
            post(later, "/echo", "{}", "not a key", "malformed");
            for (int i = 0; i < WITHOUT_KEY; i++) {
                later.post("/echo", "{}", "X-Request-Id", "without-" + i);
            }
        }
        Map<String, String> outcomes = outcomes();
        assertThat(outcomes.keySet().stream().filter(request -> request.startsWith("without-")))
                .hasSize(WITHOUT_KEY);
        outcomes.values().removeIf(String::isEmpty);
        assertThat(outcomes)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "executed", "executed",
                        "replayed", "replayed",
                        "mismatch", "mismatch",
                        "executed-slowly", "executed",
                        "in-progress", "in_progress",
                        "limited", "limited",
                        "failed", "failed",
                        "unknown", "unknown",
                        "expired", "expired"));
    }

    private static Reply post(Client client, String path, String json, String key, String requestId) {
        return client.post(path, json, KEY, key, "X-Request-Id", requestId);
    }

    /** The outcomes of all logged requests, by request id; empty if an entry has none. */
    private Map<String, String> outcomes() {
        Map<String, String> outcomes = new TreeMap<>();
        for (String line : log.toString(UTF_8).lines().toList()) {
            JsonNode entry = new JsonMapper().readTree(line);
            if (entry.get("message").asString().equals("request")) {
                outcomes.put(
                        entry.get("request").asString(), entry.path("outcome").asString(""));
            }
        }
        return outcomes;
    }
}
