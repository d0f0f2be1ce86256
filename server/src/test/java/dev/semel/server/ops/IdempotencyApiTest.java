package dev.semel.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.server.ServerFixture;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.ProblemException;
import dev.semel.testkit.ControlledTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IdempotencyApiTest {

    private final ControlledTime time = new ControlledTime();
    private final ServerFixture server = ServerFixture.on(
            new MemoryStore(time, 1 << 20),
            time,
            apps -> List.of(routes -> {
                routes.atomic("POST", "/things/{id}", request -> ApiResponse.created(JsonText.object()));
                routes.atomic("POST", "/failing", request -> {
                    throw new IllegalStateException();
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
                                + time.instant().plus(Duration.ofHours(24)) + "\",\"outcome\":\"completed\"}");
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
