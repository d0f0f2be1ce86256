package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture.Reply;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Every response has the security headers, including errors of Jetty. */
class SecurityHeadersTest {

    private static final Map<String, String> EXPECTED = Map.of(
            "X-Content-Type-Options",
            "nosniff",
            "Cache-Control",
            "no-store",
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Frame-Options",
            "DENY",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cross-Origin-Resource-Policy",
            "same-origin");

    private static final ServerFixture SERVER = ServerFixture.onMemory();

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private static void assertSafe(Reply reply, int status) {
        assertThat(reply.status()).isEqualTo(status);
        EXPECTED.forEach((name, value) ->
                assertThat(reply.response().headers().allValues(name)).as(name).containsExactly(value));
        assertThat(reply.header("Strict-Transport-Security")).as("it is no TLS").isEmpty();
    }

    @Test
    void everyResponse_hasThem() {
        assertSafe(SERVER.asNobody().get("/"), 200);
        assertSafe(SERVER.asNobody().get("/health/live"), 200);
        assertSafe(SERVER.asNobody().get("/v1/tables/x"), 401);
        assertSafe(SERVER.as("ann").get("/nothing"), 404);
        assertSafe(SERVER.as("ann").post("/api/submit", "{"), 400);
        assertSafe(SERVER.as("ann").get("/", "Origin", "http://evil.example"), 403);
        String id = SERVER.as("ann")
                .post("/api/submit", "{\"body\":\"<script>x</script>\"}")
                .text("id");
        Reply page = SERVER.asNobody().get("/p/" + id);
        assertSafe(page, 200);
        assertThat(page.text()).doesNotContain("<script");
    }

    /** A replay has the current security headers, not recorded ones. */
    @Test
    void replay_hasItsOwn() {
        Reply first = SERVER.as("ann").post("/api/submit", "{\"body\":\"a\"}", "Idempotency-Key", "k");
        Reply again = SERVER.as("ann").post("/api/submit", "{\"body\":\"a\"}", "Idempotency-Key", "k");
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertSafe(first, 201);
        assertSafe(again, 201);
        assertThat(again.response().headers().allValues("X-Request-Id"))
                .hasSize(1)
                .doesNotContain(first.header("X-Request-Id"));
    }

    @Test
    void unreadRejection_hasThem() throws Exception {
        String answer = RawSocket.send(SERVER.server().port(), "GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 400 ");
        EXPECTED.forEach((name, value) -> assertThat(answer).contains("\r\n" + name + ": " + value + "\r\n"));
    }
}
