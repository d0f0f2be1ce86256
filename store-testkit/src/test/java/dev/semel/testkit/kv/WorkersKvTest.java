package dev.semel.testkit.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.semel.document.ShortIdAllocator;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.kv.KeyValueStore;
import dev.semel.kv.KvShortIdAllocator;
import dev.semel.kv.KvTiming;
import dev.semel.kv.WorkersKv;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.testkit.ControlledTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLDecoder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client of Workers KV, with a server on loopback that has its REST API. */
class WorkersKvTest implements KeyValueStoreContract {

    private static final String TOKEN = "t0p-s3cret_token";
    private static final String PATH = "/client/v4/accounts/acc0/storage/kv/namespaces/ns0/values/";
    private static final Json VALUE = Json.of("{\"a\":1}");

    private final ControlledTime time = new ControlledTime();
    private final SimulatedKeyValueStore stored = new SimulatedKeyValueStore(time);
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch testEnds = new CountDownLatch(1);
    private @Nullable Behavior fault;
    private HttpServer server;

    /** Handles a request in place of the API. */
    private interface Behavior {
        void handle(HttpExchange exchange) throws IOException;
    }

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    @AfterEach
    void stop() {
        testEnds.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            String query = exchange.getRequestURI().getRawQuery();
            requests.add(method + " " + exchange.getRequestURI().getRawPath() + (query == null ? "" : "?" + query));
            if (fault != null) {
                fault.handle(exchange);
            } else if (!("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                respond(exchange, 403, "{\"success\":false,\"errors\":[{\"code\":10000}]}");
            } else {
                String path = exchange.getRequestURI().getRawPath();
                assertThat(path).startsWith(PATH);
                serve(exchange, URLDecoder.decode(path.substring(PATH.length()), UTF_8), method, query);
            }
        }
    }

    private void serve(HttpExchange exchange, String key, String method, @Nullable String query) throws IOException {
        switch (method) {
            case "GET" -> {
                Optional<Json> value = stored.get(key);
                respond(
                        exchange,
                        value.isPresent() ? 200 : 404,
                        value.map(Json::text).orElse("{\"errors\":[{\"code\":10009}]}"));
            }
            case "PUT" -> {
                Duration ttl = query == null
                        ? null
                        : Duration.ofSeconds(Long.parseLong(query.substring("expiration_ttl=".length())));
                stored.put(key, Json.of(exchange.getRequestBody().readAllBytes()), ttl);
                respond(exchange, 200, "{\"success\":true,\"result\":{}}");
            }
            default -> {
                stored.delete(key);
                respond(exchange, 200, "{\"success\":true,\"result\":{}}");
            }
        }
    }

    private static void respond(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private URI api() {
        return URI.create("http://localhost:" + server.getAddress().getPort() + "/client/v4");
    }

    private WorkersKv client(String token, Duration timeout) {
        return new WorkersKv(api(), "acc0", "ns0", token, timeout);
    }

    @Override
    public KeyValueStore keyValueStore() {
        return client(TOKEN, Duration.ofSeconds(30));
    }

    @Override
    public void advance(Duration step) {
        time.advance(step);
    }

    /** Returns the failure of each of the three operations. */
    private static List<StoreException> failures(KeyValueStore store) {
        return List.of(
                catchThrowableOfType(StoreException.class, () -> store.get("k")),
                catchThrowableOfType(StoreException.class, () -> store.put("k", VALUE, null)),
                catchThrowableOfType(StoreException.class, () -> store.delete("k")));
    }

    @Test
    void requests_areThoseOfTheApi() {
        KeyValueStore store = keyValueStore();
        store.put("claim:260107-bc", VALUE, Duration.ofMillis(60_001));
        store.put("post:260107-bc", VALUE, null);
        store.get("post:260107-bc");
        store.delete("claim:260107-bc");
        assertThat(requests)
                .containsExactly(
                        "PUT " + PATH + "claim%3A260107-bc?expiration_ttl=61",
                        "PUT " + PATH + "post%3A260107-bc",
                        "GET " + PATH + "post%3A260107-bc",
                        "DELETE " + PATH + "claim%3A260107-bc");
    }

    @Test
    void ttlBelowAMinute_isRejected() {
        assertThatThrownBy(() -> keyValueStore().put("k", VALUE, Duration.ofSeconds(59)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 60 seconds");
        assertThat(requests).isEmpty();
    }

    @Test
    void valueThatIsNotJson_isReadAsAString() {
        fault = exchange -> respond(exchange, 200, "2b\"1\\f\u0001-\u00e9\ud83d\ude00");
        assertThat(keyValueStore().get("claim:260107-bc"))
                .contains(Json.of("\"2b\\u00221\\u005cf\\u0001-\u00e9\ud83d\ude00\""));
    }

    @Test
    void missingKey_canBeDeleted() {
        fault = exchange -> respond(exchange, 404, "{}");
        keyValueStore().delete("k");
        assertThat(requests).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 400, 401, 403, 405, 413, 429})
    void rejectedRequest_isCertainNotToBeApplied_andIsNotRepeated(int status) {
        fault = exchange -> {
            exchange.getResponseHeaders().set("Location", "/elsewhere");
            respond(exchange, status, "secret of the server");
        };
        assertThat(failures(keyValueStore())).allSatisfy(failure -> {
            assertThat(failure.isCertain()).isTrue();
            assertThat(failure).hasMessageContaining("status " + status);
            assertThat(failure.getMessage()).doesNotContain("secret of the server");
        });
        assertThat(requests).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 502, 503, 520})
    void failureOfTheServer_isUncertain(int status) {
        fault = exchange -> respond(exchange, status, "");
        assertThat(failures(keyValueStore()))
                .allSatisfy(failure -> assertThat(failure.isCertain()).isFalse());
    }

    @Test
    void connectionThatIsCut_isUncertain() {
        fault = exchange -> {};
        assertThat(failures(keyValueStore())).allSatisfy(failure -> {
            assertThat(failure.isCertain()).isFalse();
            assertThat(failure).hasMessageContaining("broke");
        });
        fault = exchange -> {
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().write("{\"half\":".getBytes(UTF_8));
            exchange.getResponseBody().flush();
        };
        assertThat(catchThrowableOfType(
                        StoreException.class, () -> keyValueStore().get("k")))
                .hasMessageContaining("broke");
    }

    @Test
    void responseThatIsTooSlow_isUncertain_evenIfOnlyItsBodyIs() {
        KeyValueStore impatient = client(TOKEN, Duration.ofMillis(300));
        fault = exchange -> awaitEnd();
        assertThat(failures(impatient)).allSatisfy(failure -> {
            assertThat(failure.isCertain()).isFalse();
            assertThat(failure).hasMessageContaining("within 300 ms");
        });
        fault = exchange -> {
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().flush();
            awaitEnd();
        };
        assertThat(catchThrowableOfType(StoreException.class, () -> impatient.get("k")))
                .hasMessageContaining("within 300 ms");
    }

    private void awaitEnd() {
        try {
            testEnds.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void serverThatIsNotThere_isCertain() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        WorkersKv client = new WorkersKv(
                URI.create("http://localhost:" + port + "/"), "acc0", "ns0", TOKEN, Duration.ofSeconds(5));
        assertThat(failures(client)).allSatisfy(failure -> {
            assertThat(failure.isCertain()).isTrue();
            assertThat(failure).hasMessage("Workers KV cannot be reached");
        });
    }

    @Test
    void token_isInNoText() {
        WorkersKv client = client("another-token", Duration.ofSeconds(30));
        assertThat(client.toString()).contains("acc0", "ns0").doesNotContain("another-token");
        StringWriter trace = new StringWriter();
        failures(client).forEach(failure -> failure.printStackTrace(new PrintWriter(trace, true)));
        assertThat(trace.toString()).contains("status 403").doesNotContain("another-token");
        assertThatThrownBy(() -> client("bad\ntoken", Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .doesNotContain("bad");
    }

    @Test
    void malformedArguments_areRejected() {
        for (String id : List.of("", "a/b", "..", "a?b", "a b")) {
            assertThatThrownBy(() -> new WorkersKv(api(), id, "ns0", TOKEN, Duration.ofSeconds(1)))
                    .hasMessageContaining("account");
            assertThatThrownBy(() -> new WorkersKv(api(), "acc0", id, TOKEN, Duration.ofSeconds(1)))
                    .hasMessageContaining("namespace");
        }
        assertThatThrownBy(() -> new WorkersKv(URI.create("file:///x"), "a", "n", TOKEN, Duration.ofSeconds(1)))
                .hasMessageContaining("address");
        assertThatThrownBy(() -> client(TOKEN, Duration.ZERO)).hasMessageContaining("timeout");
        assertThatThrownBy(() -> keyValueStore().get(".")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void allocator_runsOnIt_ifOverwritesAreAccepted() {
        KvTiming timing = new KvTiming(Duration.ofMillis(20), Duration.ofSeconds(10), null);
        assertThatThrownBy(() -> KvShortIdAllocator.of(
                        keyValueStore(), timing, IdSchemes.DAY_NONCE, ShortIdAllocator.LADDER, Time.system()))
                .hasMessageContaining("no bound");
        KvShortIdAllocator allocator = KvShortIdAllocator.acceptingOverwrites(
                keyValueStore(), timing, IdSchemes.DAY_NONCE, ShortIdAllocator.LADDER, Time.system());
        Json post = allocator
                .allocate(
                        Instant.parse("2026-01-07T12:00:00Z"),
                        (id, token) -> Json.of("{\"id\":\"" + id + "\",\"allocToken\":\"" + token + "\"}"))
                .orElseThrow();
        String key = "post:" + post.text().substring(7, 16);
        assertThat(stored.current(key)).contains(post);
        assertThat(stored.current(key.replace("post:", "claim:"))).isEmpty();
    }
}
