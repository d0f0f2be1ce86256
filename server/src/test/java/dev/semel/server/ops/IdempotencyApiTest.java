package dev.semel.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.Problem;
import dev.semel.memory.MemoryStore;
import dev.semel.server.ServerFixture;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.ProblemException;
import dev.semel.store.admin.Sweeper;
import dev.semel.testkit.ControlledTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class IdempotencyApiTest {

    private final ControlledTime time = new ControlledTime();
    private final MemoryStore store = new MemoryStore(time, 1 << 20);
    private volatile boolean open;
    private final ServerFixture server = ServerFixture.on(
            store,
            time,
            apps -> List.of(routes -> {
                routes.atomic("POST", "/things/{id}", request -> ApiResponse.created(JsonText.object()));
                routes.atomic("POST", "/failing", request -> {
                    throw new IllegalStateException("broken");
                });
                routes.atomic("POST", "/closed", request -> {
                    if (!open) {
                        throw new ProblemException(Problem.of(503, "closed", "Closed"));
                    }
                    return ApiResponse.created(JsonText.object());
                });
                routes.atomic("POST", "/refusing", request -> {
                    throw ProblemException.invalid("thing", "is odd");
                });
                routes.atomic("POST", "/missing", request -> {
                    throw ProblemException.notFound("thing");
                });
            }));

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void key_isShownToItsUser() {
        ServerFixture.Client ann = server.as("ann");
        String created = time.instant().toString();
        ann.post("/things/1", "{}", "Idempotency-Key", "k", "X-Client-Tx-Id", "tx-1");
        Reply reply = ann.get("/v1/idempotency/k?endpoint=POST%20/things/1");
        assertThat(reply.text())
                .isEqualTo(
                        "{\"key\":\"k\",\"endpoint\":\"POST /things/1\",\"status\":\"completed\",\"clientTxId\":\"tx-1\","
                                + "\"attempts\":1,\"createdAt\":\"" + created + "\",\"expiresAt\":\""
                                + time.instant().plus(Duration.ofHours(24)) + "\",\"outcome\":201}");
    }

    @Test
    void keyOfAnotherUser_isNotFound() {
        server.as("ann").post("/things/1", "{}", "Idempotency-Key", "k");
        assertThat(server.as("bob")
                        .get("/v1/idempotency/k?endpoint=POST+/things/1")
                        .status())
                .isEqualTo(404);
        assertThat(server.as("ann")
                        .get("/v1/idempotency/k?endpoint=POST+/things/2")
                        .status())
                .isEqualTo(404);
        assertThat(server.as("ann")
                        .get("/v1/idempotency/l?endpoint=POST+/things/1")
                        .status())
                .isEqualTo(404);
        assertThat(server.asNobody()
                        .get("/v1/idempotency/k?endpoint=POST+/things/1")
                        .status())
                .isEqualTo(401);
    }

    @Test
    void status_showsTheOutcome() {
        ServerFixture.Client ann = server.as("ann");
        assertThat(ann.post("/failing", "{}", "Idempotency-Key", "k").status()).isEqualTo(500);
        assertThat(ann.post("/failing", "{}", "Idempotency-Key", "k").status()).isEqualTo(500);
        Reply failed = ann.get("/v1/idempotency/k?endpoint=POST+/failing");
        assertThat(failed.text("status")).isEqualTo("failed");
        assertThat(failed.json().get("attempts").asInt()).isEqualTo(2);
        assertThat(ann.post("/missing", "{}", "Idempotency-Key", "k").status()).isEqualTo(404);
        assertThat(ann.get("/v1/idempotency/k?endpoint=POST+/missing").text("status"))
                .isEqualTo("completed");
        time.advance(Duration.ofDays(1));
        assertThat(server.as("ann")
                        .get("/v1/idempotency/k?endpoint=POST+/missing")
                        .text("status"))
                .isEqualTo("expired");
    }

    private JsonNode record(String endpoint) {
        return server.as("ann")
                .get("/v1/idempotency/k?endpoint=POST+" + endpoint)
                .json();
    }

    private JsonNode listed(String clientTxId) {
        return server.as("ann")
                .get("/v1/idempotency?clientTxId=" + clientTxId)
                .json()
                .get("items")
                .get(0);
    }

    @Test
    void outcome_isTheStatusOfTheResponse_alsoAfterTheKeyHasExpired() {
        ServerFixture.Client ann = server.as("ann");
        for (int[] each : new int[][] {{1, 201}, {2, 404}, {3, 400}}) {
            String endpoint = List.of("/things/1", "/missing", "/refusing").get(each[0] - 1);
            ann.post(endpoint, "{}", "Idempotency-Key", "k", "X-Client-Tx-Id", "tx-" + each[0]);
            assertThat(record(endpoint).get("outcome").asInt()).isEqualTo(each[1]);
            assertThat(record(endpoint).has("cause")).isFalse();
            assertThat(listed("tx-" + each[0])).isEqualTo(record(endpoint));
        }
        time.advance(Duration.ofDays(1));
        new Sweeper(store.admin(), time).sweep();
        assertThat(record("/things/1").get("status").asString()).isEqualTo("expired");
        assertThat(record("/things/1").get("outcome").asInt()).isEqualTo(201);
        assertThat(record("/missing").get("outcome").asInt()).isEqualTo(404);
        assertThat(listed("tx-3").get("outcome").asInt()).isEqualTo(400);
    }

    @Test
    void failedKey_showsStatusAndCause_untilItStartsAgain() {
        ServerFixture.Client ann = server.as("ann");
        assertThat(ann.post("/failing", "{}", "Idempotency-Key", "k").status()).isEqualTo(500);
        assertThat(record("/failing").get("outcome").asInt()).isEqualTo(500);
        assertThat(record("/failing").get("cause").asString()).isEqualTo("IllegalStateException: broken");

        ann.post("/closed", "{}", "Idempotency-Key", "k", "X-Client-Tx-Id", "tx");
        assertThat(record("/closed").get("status").asString()).isEqualTo("failed");
        assertThat(record("/closed").get("outcome").asInt()).isEqualTo(503);
        assertThat(record("/closed").get("cause").asString()).isEqualTo("The response has status 503");
        assertThat(server.as("bob")
                        .get("/v1/idempotency/k?endpoint=POST+/closed")
                        .status())
                .isEqualTo(404);
        assertThat(server.as("bob").get("/v1/idempotency?clientTxId=tx").status())
                .isEqualTo(404);

        open = true;
        ann.post("/closed", "{}", "Idempotency-Key", "k", "X-Client-Tx-Id", "tx");
        assertThat(record("/closed").get("outcome").asInt()).isEqualTo(201);
        assertThat(record("/closed").has("cause")).isFalse();
    }

    @Test
    void malformedQuery_isRejected() {
        ServerFixture.Client ann = server.as("ann");
        assertThat(ann.get("/v1/idempotency/k").text("field")).isEqualTo("endpoint");
        assertThat(ann.get("/v1/idempotency/k?endpoint=").text("field")).isEqualTo("endpoint");
        assertThat(ann.get("/v1/idempotency/%C3%A9?endpoint=x").text("field")).isEqualTo("key");
        assertThat(ann.get("/v1/idempotency/" + "k".repeat(256) + "?endpoint=x").status())
                .isEqualTo(400);
    }

    /** A body that cannot be parsed is not recorded, so the key can be used again. */
    @Test
    void unreadableRequest_doesNotUseUpTheKey() {
        ServerFixture.Client ann = server.as("ann");
        assertThat(ann.post("/things/1", "{}", "Idempotency-Key", "k", "Content-Type", "text/plain")
                        .status())
                .isEqualTo(415);
        assertThat(ann.post("/things/1", "{}", "Idempotency-Key", "k").status()).isEqualTo(201);
    }
}
