package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.Idempotency;
import dev.semel.id.IdSchemes;
import dev.semel.memory.MemoryStore;
import dev.semel.once.OnceSettings;
import dev.semel.once.OnceSettings.IfExpired;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes.Access;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.FaultyStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** The metrics match the requests that were sent. */
class MetricsTest {

    private static final String KEY = "Idempotency-Key";
    private static final String UUID4 = "7d44ba6c-5d4b-4b0e-8f3a-0e5d4d1d2f11";
    private static final String OWN = "semel_http_requests_total{method=\"GET\",route=\"/metrics\"";
    private static final String DESCRIPTION = "semel_http_requests_total{method=\"GET\",route=\"/openapi.json\"";
    private static final String TAKEN = "{\"taken\":true}";
    private static final int QUOTA = 5;
    private static final int REQUESTS = 50;

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @TempDir
    Path folder;

    private List<App> apps(Apps apps) {
        List<App> all = new ArrayList<>(apps.all());
        all.add(routes -> {
            routes.atomic("POST", "/echo", request -> ApiResponse.created(request.object()));
            routes.atomic("POST", "/slow", this::slow);
            routes.atomic("POST", "/broken", request -> {
                throw new IllegalStateException("broken");
            });
            routes.add("POST", "/open", Idempotency.leased(IfAbandoned.FREEZE), Access.USERS, request -> {
                throw new UncheckedUnknown();
            });
            routes.add(
                    "POST",
                    "/leased",
                    Idempotency.leased(IfAbandoned.RERUN),
                    Access.USERS,
                    request -> ApiResponse.nothing());
        });
        return all;
    }

    /** An error leaves the outcome unknown. */
    private static final class UncheckedUnknown extends Error {
        private static final long serialVersionUID = 1L;
    }

    private ApiResponse slow(Request request) {
        begun.countDown();
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

    @ParameterizedTest
    @EnumSource(EndToEnd.On.class)
    void outcomes_areCountedOnceEach(EndToEnd.On on) throws Exception {
        Storage storage = on.storage(folder.resolve("store"));
        try (ServerFixture server = ServerFixture.on(
                storage,
                this::apps,
                settings -> settings.withOnce(once -> once.withQuota(new Quota(QUOTA, Duration.ofHours(1)))))) {
            Scrape before = Scrape.of(server);
            for (String outcome : List.of(
                    "executed", "replayed", "in_progress", "mismatch", "limited", "failed", "unknown", "expired")) {
                assertThat(before.value("semel_once_total{outcome=\"" + outcome + "\"}"))
                        .isZero();
            }
            for (String name : List.of(
                    "semel_once_in_flight",
                    "semel_once_seconds_count",
                    "semel_sweep_deleted_total{table=\"idempotency_keys\"}",
                    "semel_sweep_deleted_total{table=\"documents\"}",
                    "semel_sweep_deleted_total{table=\"posts\"}",
                    "semel_keys_created_total",
                    "semel_ttl_violations_total",
                    "semel_lease_takeovers_total",
                    "semel_lease_late_completions_total")) {
                assertThat(before.value(name)).as(name).isZero();
            }

            Client ann = server.as("ann");
            for (int i = 0; i < QUOTA; i++) { // 5 executed, 5 new keys
                assertThat(ann.post("/echo", "{\"a\":1}", KEY, "k" + i).status())
                        .isEqualTo(201);
            }
            for (int i = 0; i < 4; i++) { // 4 replayed
                ann.post("/echo", "{\"a\": 1.0}", KEY, "k" + i);
            }
            for (int i = 0; i < 3; i++) { // 3 mismatches
                assertThat(ann.post("/echo", "{\"a\":2}", KEY, "k" + i).status())
                        .isEqualTo(422);
            }
            for (int i = 0; i < 2; i++) { // 2 limited
                assertThat(ann.post("/echo", "{\"a\":1}", KEY, "new" + i).status())
                        .isEqualTo(429);
            }
            Client bob = server.as("bob");
            for (int i = 0; i < 3; i++) { // 3 failed, 1 new key
                assertThat(bob.post("/broken", "{}", KEY, "k").status()).isEqualTo(500);
            }
            for (int i = 0; i < 2; i++) { // 2 unknown, 1 new key
                bob.post("/open", "{}", KEY, "k");
            }
            CompletableFuture<Reply> first = // 1 executed, 1 new key
                    CompletableFuture.supplyAsync(() -> bob.post("/slow", "{}", KEY, "k"));
            await(begun);
            assertThat(Scrape.of(server).value("semel_once_in_flight")).isEqualTo(1);
            for (int i = 0; i < 6; i++) { // 6 in progress
                assertThat(bob.post("/slow", "{}", KEY, "k").status()).isEqualTo(409);
            }
            mayEnd.countDown();
            assertThat(first.get(1, TimeUnit.MINUTES).status()).isEqualTo(201);
            DocumentStore store = storage.store();
            Client cid = server.as("cid");
            assertThat(cid.post("/leased", "{}", KEY, "k").status()).isEqualTo(204); // 1 executed, 1 new key
            IdempotencyRecord done = find(store, "cid", "k");
            leave(store, done, "k", Status.PROCESSING, null);
            assertThat(server.as("dan").post("/leased", "{}", KEY, "k").status()) // 1 executed, taken over
                    .isEqualTo(204);
            leave(store, done, "old", Status.COMPLETED, Response.of("old"));
            assertThat(server.as("dan").post("/leased", "{}", KEY, "old").status()) // 1 executed, expired, 1 new key
                    .isEqualTo(204);
            String table = server.as("eve").post("/v1/tables", "{}").text("tableId"); // without a key: not counted
            String action = "{\"type\":\"action\",\"clientMsgId\":\"" + UUID4 + "\",\"action\":\"raise\"}";
            for (int i = 0; i < 2; i++) { // 1 executed and 1 replayed, by the engine of the tables; 1 new key
                assertThat(server.as("eve")
                                .post("/v1/tables/" + table + "/actions", action)
                                .status())
                        .isEqualTo(200);
            }

            int requests = 5 + 4 + 3 + 2 + 3 + 2 + 1 + 6 + 1 + 1 + 1 + 1 + 2;
            Scrape after = Scrape.await(
                    server,
                    scrape -> scrape.sum("semel_http_requests_total{method=\"POST\"") == requests
                            && scrape.value("semel_http_in_flight") == 1); // an earlier scrape may still be in progress
            assertThat(after.sum("semel_http_requests_total{method=\"POST\"")).isEqualTo(requests);
            assertThat(after.value("semel_http_requests_total{method=\"POST\",route=\"/echo\",status=\"422\"}"))
                    .isEqualTo(3);
            assertThat(after.value("semel_http_request_seconds_count{method=\"POST\",route=\"/slow\"}"))
                    .isEqualTo(7);
            assertThat(after.value("semel_http_in_flight")).as("the scrape").isEqualTo(1);
            Map<String, Integer> outcomes = Map.of(
                    "executed", 5 + 1 + 3 + 1,
                    "replayed", 4 + 1,
                    "mismatch", 3,
                    "limited", 2,
                    "failed", 3,
                    "unknown", 2,
                    "in_progress", 6);
            outcomes.forEach(
                    (outcome, count) -> assertThat(after.value("semel_once_total{outcome=\"" + outcome + "\"}"))
                            .as(outcome)
                            .isEqualTo((double) count));
            assertThat(after.sum("semel_once_total"))
                    .isEqualTo(
                            outcomes.values().stream().mapToInt(count -> count).sum());
            assertThat(after.value("semel_once_seconds_count")).isEqualTo(after.sum("semel_once_total"));
            assertThat(after.value("semel_once_in_flight")).isZero();
            assertThat(after.value("semel_keys_created_total")).isEqualTo(5 + 1 + 1 + 1 + 1 + 1 + 1);
            assertThat(after.value("semel_lease_takeovers_total")).isEqualTo(1);
            assertThat(after.value("semel_lease_late_completions_total")).isZero();
            assertThat(after.value("semel_ttl_violations_total")).isEqualTo(1);
            assertThat(after.value("semel_once_aborted_total")).isZero();
            assertStoreTells(on, after);
            assertSweepIsCounted(server, store, done);
        }
    }

    private static IdempotencyRecord find(DocumentStore store, String user, String key) {
        return Objects.requireNonNull(
                store.find(new IdempotencyKey(user, "POST /leased", key)).record());
    }

    /** Stores a record of the user dan that expires at once, with the fingerprint of another record. */
    private static void leave(
            DocumentStore store, IdempotencyRecord like, String key, Status status, @Nullable Response response) {
        IdempotencyRecord record = new IdempotencyRecord(
                new IdempotencyKey("dan", "POST /leased", key),
                "tx",
                like.fingerprint(),
                status,
                IfAbandoned.RERUN,
                1,
                "",
                0,
                store.clock().instant(),
                null,
                null,
                response,
                null,
                null);
        store.commit(Commit.of(
                "left-" + key,
                new IdempotencyWrite(
                        Precondition.ABSENT, record, Duration.ofNanos(1000), Duration.ofHours(1), Quota.NONE)));
        while (!find(store, "dan", key).isExpiredAt(store.find(record.key()).now())) {
            Thread.onSpinWait();
        }
    }

    private static void assertSweepIsCounted(ServerFixture server, DocumentStore store, IdempotencyRecord like) {
        leave(store, like, "swept", Status.COMPLETED, Response.of("old"));
        double sweeps = Scrape.of(server).value("semel_sweeps_total{result=\"complete\"}");
        Reply swept = server.withToken(server.token("op", List.of("operator"))).post("/v1/ops/sweeps", "");
        assertThat(swept.status()).isEqualTo(200);
        Scrape scrape = Scrape.of(server);
        for (JsonNode item : swept.json().get("items")) {
            String table = item.get("table").asString();
            assertThat(scrape.value("semel_sweep_deleted_total{table=\"" + table + "\"}"))
                    .as(table)
                    .isEqualTo(item.get("deleted").asDouble());
        }
        assertThat(scrape.value("semel_sweep_deleted_total{table=\"idempotency_keys\"}"))
                .isEqualTo(1);
        assertThat(scrape.value("semel_sweeps_total{result=\"complete\"}")).isEqualTo(sweeps + 1);
        assertThat(scrape.value("semel_sweeps_total{result=\"aborted\"}")).isZero();
    }

    /** Two servers share a store. One of them loses its connection for longer than a lease. */
    @Test
    void lateCompletions_areCountedOnTheirServer() {
        ControlledTime time = new ControlledTime();
        MemoryStore store = new MemoryStore(time, 1 << 20);
        FaultyStore cutOff = new FaultyStore(store);
        try (ServerFixture there = ServerFixture.on(store, time, this::apps);
                ServerFixture here = ServerFixture.on(
                        cutOff,
                        time,
                        apps -> List.of(routes -> routes.add(
                                "POST", "/leased", Idempotency.leased(IfAbandoned.RERUN), Access.USERS, request -> {
                                    cutOff.goDown();
                                    time.advance(OnceSettings.DEFAULTS.lease());
                                    if (request.object().get("taken").asBoolean()) {
                                        assertThat(takeOver(there, request)).isEqualTo(204);
                                    }
                                    cutOff.comeUp();
                                    return ApiResponse.ok(JsonText.object());
                                })))) {
            Client ann = here.as("ann");
            assertThat(ann.post("/leased", "{\"taken\":false}", KEY, "missed-by-nobody")
                            .status())
                    .isEqualTo(200);
            assertThat(Scrape.of(here).value("semel_lease_late_completions_total"))
                    .isZero();
            for (int i = 1; i <= 3; i++) {
                Reply late = ann.post("/leased", TAKEN, KEY, "k" + i);
                assertThat(late.status()).isEqualTo(204); // the response of the other server
                assertThat(late.header("Idempotency-Replayed")).isEqualTo("true");
                assertThat(Scrape.of(here).value("semel_lease_late_completions_total"))
                        .isEqualTo(i);
            }
            assertThat(Scrape.of(here).value("semel_lease_takeovers_total")).isZero();
            assertThat(Scrape.of(there).value("semel_lease_takeovers_total")).isEqualTo(3);
            assertThat(Scrape.of(there).value("semel_lease_late_completions_total"))
                    .isZero();
        }
    }

    private static int takeOver(ServerFixture server, Request request) {
        return server.as("ann")
                .post("/leased", TAKEN, KEY, request.header(KEY).orElseThrow())
                .status();
    }

    /** A rejected expired key counts as used too late. */
    @Test
    void rejectedExpiredKeys_areCounted() {
        ControlledTime time = new ControlledTime();
        try (ServerFixture server = ServerFixture.on(
                new MemoryStore(time, 1 << 20),
                time,
                this::apps,
                settings -> settings.withOnce(once -> once.withIfExpired(IfExpired.REJECT)))) {
            assertThat(server.as("ann").post("/echo", "{}", KEY, "k").status()).isEqualTo(201);
            time.advance(Duration.ofHours(25));
            assertThat(server.as("ann").post("/echo", "{}", KEY, "k").status()).isEqualTo(410);
            Scrape scrape = Scrape.of(server);
            assertThat(scrape.value("semel_once_total{outcome=\"expired\"}")).isEqualTo(1);
            assertThat(scrape.value("semel_ttl_violations_total")).isEqualTo(1);
        }
    }

    @Test
    void openStreamsAndSockets_areMeasured() throws IOException {
        try (ServerFixture server = ServerFixture.onMemory()) {
            Client ann = server.as("ann");
            String table = ann.post("/v1/tables", "{}").text("tableId");
            assertOpen(server, 0, 0);
            try (EventStream first = server.events("ann", "");
                    EventStream second = server.events("bob", "");
                    SocketClient socket = SocketClient.open(
                            server.server().port(), "/v1/tables/" + table + "/actions", server.token("ann"))) {
                assertThat(List.of(first.status(), second.status())).containsOnly(200);
                assertThat(socket.answered()).startsWith("HTTP/1.1 101 ");
                assertOpen(server, 2, 1);
            }
            Scrape.await(server, seen -> {
                String key = IdSchemes.TID62.mint();
                Reply posted = ann.post("/v1/feed/posts", "{\"text\":\"x\"}", KEY, key, "X-Client-Tx-Id", key);
                assertThat(posted.status()).isEqualTo(201);
                return seen.value("semel_http_streams_open") == 0; // the server notices a disconnect when it writes
            });
            assertOpen(server, 0, 0);
        }
    }

    private static void assertOpen(ServerFixture server, int streams, int sockets) {
        Scrape scrape = Scrape.await(
                server,
                seen -> seen.value("semel_http_streams_open") == streams
                        && seen.value("semel_websockets_open") == sockets);
        assertThat(scrape.value("semel_http_streams_open")).isEqualTo(streams);
        assertThat(scrape.value("semel_websockets_open")).isEqualTo(sockets);
    }

    private static void assertStoreTells(EndToEnd.On on, Scrape scrape) {
        if (on == EndToEnd.On.ROCKSDB) {
            assertThat(scrape.value("semel_rocksdb_commits_total")).isGreaterThan(10);
            assertThat(scrape.value("semel_rocksdb_log_syncs_total")).isPositive();
            assertThat(scrape.value("semel_rocksdb_disk_free_bytes")).isGreaterThan(1 << 20);
        } else if (on == EndToEnd.On.POSTGRES) {
            assertThat(scrape.value("semel_postgres_statement_seconds_count{work=\"commit\"}"))
                    .isBetween(12.0, 30.0);
            assertThat(scrape.value("semel_postgres_statement_seconds_count{work=\"find\"}"))
                    .isGreaterThan(25);
            assertThat(scrape.value("semel_postgres_statement_seconds_count{work=\"read\"}"))
                    .isPositive();
            assertThat(scrape.value("hikaricp_connections_max{pool=\"semel\"}")).isEqualTo(10);
        }
    }

    @Test
    void callsOnAFailingStore_areAborted() {
        FaultyStore store = new FaultyStore(new MemoryStore());
        try (ServerFixture server = ServerFixture.on(store, Time.system(), this::apps)) {
            store.goDown();
            for (int i = 0; i < 3; i++) {
                assertThat(server.as("ann").post("/echo", "{}", KEY, "k").status())
                        .isEqualTo(503);
            }
            Scrape scrape = Scrape.of(server);
            assertThat(scrape.value("semel_once_aborted_total")).isEqualTo(3);
            assertThat(scrape.value("semel_once_in_flight")).isZero();
            assertThat(scrape.sum("semel_once_total")).isZero();
        }
    }

    /** The number of requests, except those that the test infrastructure sends. */
    private static double asked(Scrape scrape) {
        return scrape.sum("semel_http_requests_total") - scrape.sum(OWN) - scrape.sum(DESCRIPTION);
    }

    /** The number of series depends only on routes and statuses, whatever clients send. */
    @Test
    void randomRequests_makeNoNewSeries() throws IOException {
        try (ServerFixture server = ServerFixture.onMemory()) {
            int series = 0;
            SplittableRandom random = new SplittableRandom(7);
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < REQUESTS; i++) {
                    String word = Long.toString(random.nextLong(Long.MAX_VALUE), 36);
                    Client somebody = server.as("u" + word);
                    somebody.get("/" + word);
                    somebody.get("/v1/feed/posts/" + word);
                    somebody.get("/v1/collections/" + word + "/records/" + word);
                    somebody.send("X" + word.toUpperCase(Locale.ROOT), "/v1/feed/posts", "");
                    somebody.post("/v1/collections/" + word + "/records", "{}", KEY, word);
                    RawSocket.send(server.server().port(), "GET /%zz" + word + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
                }
                int requests = (round + 1) * REQUESTS * 6;
                Scrape scrape = Scrape.await(server, seen -> asked(seen) >= requests);
                assertThat(asked(scrape)).isEqualTo(requests);
                assertThat(scrape.value("semel_http_requests_total{method=\"other\",route=\"none\",status=\"400\"}"))
                        .isEqualTo((round + 1) * REQUESTS);
                int now = (int) scrape.series().keySet().stream()
                        .filter(name -> name.startsWith("semel_") && !name.contains("/metrics"))
                        .count();
                assertThat(now).isLessThan(300);
                assertThat(round == 0 || now == series).isTrue();
                series = now;
                assertThat(scrape.text()).doesNotContainPattern("u[a-z0-9]{10}");
            }
        }
    }

    @Test
    void everybodyMayRead() {
        try (ServerFixture server = ServerFixture.onMemory()) {
            assertThat(Scrape.of(server).names())
                    .contains("jvm_memory_used_bytes", "jvm_threads_live_threads")
                    .contains("process_start_time_seconds", "process_cpu_usage");
            assertThat(server.asNobody().post("/metrics", "{}").status()).isEqualTo(405);
        }
    }
}
