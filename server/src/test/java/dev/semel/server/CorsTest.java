package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.web.App;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of the origins that are set, and no others, can call the API and read its responses. */
class CorsTest {

    private static final String APP = "https://app.example.com";
    private static final String OTHER = "http://localhost:3000";
    private static final ServerFixture SERVER = ServerFixture.on(
            new MemoryStore(),
            Time.system(),
            apps -> {
                List<App> all = new ArrayList<>(apps.all());
                all.add(routes -> routes.get("/down", request -> {
                    throw StoreException.rejected("down", null);
                }));
                return all;
            },
            settings -> settings.withCorsOrigins(Set.of(APP, OTHER)));

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private static void assertReadable(Reply reply, int status) {
        assertThat(reply.status()).isEqualTo(status);
        assertThat(reply.response().headers().allValues("Access-Control-Allow-Origin"))
                .containsExactly(APP);
        assertThat(reply.header("Access-Control-Expose-Headers"))
                .contains("Idempotency-Replayed", "Idempotency-Expires", "X-Client-Tx-Id", "Retry-After", "Date");
        assertThat(reply.response().headers().allValues("Vary")).contains("Origin");
        assertThat(reply.header("Access-Control-Allow-Credentials")).isEmpty();
    }

    private static void assertNotReadable(Reply reply) {
        assertThat(reply.response().headers().map().keySet())
                .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("access-control-"));
    }

    @Test
    void responses_canBeRead_errorsIncluded() throws Exception {
        assertReadable(SERVER.as("ann").get("/v1/feed/posts", "Origin", APP), 200);
        assertReadable(SERVER.asNobody().get("/v1/feed/posts", "Origin", APP), 401);
        assertReadable(SERVER.as("ann").get("/nothing", "Origin", APP), 404);
        assertReadable(SERVER.as("ann").get("/down", "Origin", APP), 503);
        assertReadable(SERVER.as("ann").post("/v1/feed/posts", "{", "Origin", APP), 400);
        assertReadable(SERVER.asNobody().get("/assets/outbox/outbox.js", "Origin", APP), 200);
        Reply home = SERVER.asNobody().get("/", "Origin", APP);
        assertReadable(home, 200);
        assertThat(home.response().headers().allValues("Vary")).contains("Accept");
        String rejected = RawSocket.send(
                SERVER.server().port(),
                "GET /v1/%2e%2e/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: " + APP + "\r\n\r\n");
        assertThat(rejected).startsWith("HTTP/1.1 400 ").contains("\r\nAccess-Control-Allow-Origin: " + APP + "\r\n");
    }

    @Test
    void replay_canBeReadByItsOwnOrigin() {
        String[] headers = {"Idempotency-Key", "k", "X-Client-Tx-Id", "t", "Origin", APP};
        assertReadable(SERVER.as("ann").post("/v1/feed/posts", "{\"text\":\"a\"}", headers), 201);
        Reply again = SERVER.as("ann").post("/v1/feed/posts", "{\"text\":\"a\"}", headers);
        assertReadable(again, 201);
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        headers[5] = OTHER;
        assertThat(SERVER.as("ann")
                        .post("/v1/feed/posts", "{\"text\":\"a\"}", headers)
                        .response()
                        .headers()
                        .allValues("Access-Control-Allow-Origin"))
                .containsExactly(OTHER);
    }

    @Test
    void preflight_allowsTheHeadersOfTheApi() {
        Reply reply = SERVER.asNobody()
                .send(
                        "OPTIONS",
                        "/v1/feed/posts",
                        "",
                        "Origin",
                        APP,
                        "Access-Control-Request-Method",
                        "POST",
                        "Access-Control-Request-Headers",
                        "authorization,idempotency-key");
        assertReadable(reply, 204);
        assertThat(reply.header("Access-Control-Allow-Methods").split(", ")).contains("GET", "POST", "PUT", "DELETE");
        assertThat(reply.header("Access-Control-Allow-Headers").split(", "))
                .containsExactly(
                        "Authorization",
                        "Content-Type",
                        "Idempotency-Key",
                        "X-Client-Tx-Id",
                        "If-Match",
                        "If-None-Match",
                        "Prefer",
                        "Last-Event-ID");
        assertThat(reply.header("Access-Control-Max-Age")).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://app.example.com.evil.example",
                "https://evil.example",
                "http://app.example.com",
                "https://app.example.com:8443",
                "https://APP.example.com",
                "null",
                "*"
            })
    void foreignOrigin_getsNoPermission(String origin) {
        Reply reply = SERVER.as("ann").get("/v1/feed/posts", "Origin", origin);
        assertThat(reply.status()).isEqualTo(403);
        assertNotReadable(reply);
        assertNotReadable(SERVER.asNobody()
                .send("OPTIONS", "/v1/feed/posts", "", "Origin", origin, "Access-Control-Request-Method", "POST"));
    }

    @Test
    void requestWithoutAnOrigin_variesByIt() {
        Reply reply = SERVER.as("ann").get("/v1/feed/posts");
        assertNotReadable(reply);
        assertThat(reply.response().headers().allValues("Vary")).contains("Origin");
    }

    @Test
    void withoutTheSetting_thereAreNoSuchHeaders() {
        try (ServerFixture plain = ServerFixture.onMemory(apps -> List.of())) {
            Reply reply = plain.asNobody().get("/health/live");
            assertNotReadable(reply);
            assertThat(reply.header("Vary")).isEmpty();
            assertThat(plain.asNobody().get("/health/live", "Origin", APP).status())
                    .isEqualTo(403);
        }
    }
}
