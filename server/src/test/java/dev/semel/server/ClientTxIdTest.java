package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.store.Quota;
import dev.semel.store.Time;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Every response to a request with a key repeats its transaction id, errors of filters and of Jetty included. */
class ClientTxIdTest {

    private static final String HEADER = "X-Client-Tx-Id";
    private static final Quota ONE = new Quota(1, Duration.ofHours(1));
    private static final ServerFixture SERVER = ServerFixture.onMemory();

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private static Reply send(Client client, String method, String path, String body, String clientTxId) {
        return client.send(method, path, body, "Idempotency-Key", "key-" + clientTxId, HEADER, clientTxId);
    }

    private static void assertRepeats(Reply reply, int status, String... expected) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.response().headers().allValues(HEADER)).containsExactly(expected);
    }

    @Test
    void everyResponse_repeatsIt() {
        Client ann = SERVER.as("ann");
        assertRepeats(send(ann, "POST", "/v1/feed/posts", "{\"text\":\"a\"}", "t-1"), 201, "t-1");
        assertRepeats(send(ann, "POST", "/v1/feed/posts", "{\"text\":\"a\"}", "t-1"), 201, "t-1");
        assertRepeats(send(ann, "POST", "/v1/feed/posts", "{\"text\":\"b\"}", "t-1"), 422, "t-1");
        assertRepeats(send(ann, "POST", "/v1/feed/posts", "{", "t-2"), 400, "t-2");
        assertRepeats(send(ann, "DELETE", "/v1/feed/posts/00000000000000000", "", "t-3"), 404, "t-3");
        assertRepeats(send(ann, "POST", "/nothing", "", "t-4"), 404, "t-4");
        assertRepeats(send(ann, "DELETE", "/v1/feed/posts", "", "t-5"), 405, "t-5");
        assertRepeats(send(ann, "POST", "/v1/ops/sweeps", "", "t-6"), 403, "t-6");
        assertRepeats(send(SERVER.asNobody(), "POST", "/v1/feed/posts", "{}", "t-7"), 401, "t-7");
        String large = "{\"text\":\"" + "x".repeat(1 << 20) + "\"}";
        assertRepeats(send(ann, "POST", "/v1/feed/posts", large, "t-8"), 413, "t-8");
        assertRepeats(
                ann.post("/v1/feed/posts", "{}", "Origin", "http://evil.example", "Idempotency-Key", "k", HEADER, "t"),
                403,
                "t");
        assertRepeats(ann.post("/v1/feed/posts", "{}", "Idempotency-Key", "a.b", HEADER, "t"), 400, "t");
    }

    @Test
    void exhaustedQuota_repeatsIt() {
        try (ServerFixture limited = ServerFixture.on(
                new MemoryStore(),
                Time.system(),
                Apps::all,
                settings -> settings.withOnce(once -> once.withQuota(ONE)))) {
            Client ann = limited.as("ann");
            send(ann, "POST", "/v1/feed/posts", "{\"text\":\"a\"}", "t");
            assertRepeats(send(ann, "POST", "/v1/feed/posts", "{\"text\":\"a\"}", "t-1"), 429, "t-1");
        }
    }

    @Test
    void requestThatJettyRejects_repeatsIt() throws Exception {
        String answer = RawSocket.send(
                SERVER.server().port(),
                "POST / HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k\r\n" + HEADER + ": t\r\n"
                        + "Expect: tea\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 417 ").contains("\r\n" + HEADER + ": t\r\n");
    }

    @Test
    void requestsWithoutAKey_andMalformedIds_repeatNothing() {
        Client ann = SERVER.as("ann");
        String path = "/v1/collections/things/records";
        assertRepeats(ann.post(path, "{}", HEADER, "t"), 201);
        assertRepeats(ann.get("/v1/feed/posts", "Idempotency-Key", "k", HEADER, "t"), 200);
        assertRepeats(ann.post(path, "{}", "Idempotency-Key", "k", HEADER, "<t>"), 400);
    }
}
