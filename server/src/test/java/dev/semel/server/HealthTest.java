package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.web.Answer;
import dev.semel.store.DocumentId;
import dev.semel.store.MemoryStore;
import dev.semel.store.Time;
import dev.semel.testkit.FaultyStore;
import java.util.List;
import org.junit.jupiter.api.Test;

class HealthTest {

    @Test
    void server_isLiveAndReady() {
        try (ServerFixture server = ServerFixture.onMemory()) {
            assertThat(server.asNobody().get("/health/live").text()).isEqualTo("{\"status\":\"up\"}");
            assertThat(server.asNobody().get("/health/ready").text()).isEqualTo("{\"status\":\"up\"}");
        }
    }

    @Test
    void storeOutOfReach_isLiveButNotReady() {
        FaultyStore store = new FaultyStore(new MemoryStore());
        try (ServerFixture server = ServerFixture.on(
                store,
                Time.system(),
                apps -> List.of(routes -> routes.atomic("POST", "/nothing", request -> {
                    request.tx().read(new DocumentId("a", "b", "c"));
                    return Answer.nothing();
                })))) {
            assertThat(server.as("ann").post("/nothing", "").status()).isEqualTo(204);
            store.goDown();
            assertThat(server.asNobody().get("/health/live").status()).isEqualTo(200);
            assertUnavailable(server.asNobody().get("/health/ready"));
            assertUnavailable(server.as("ann").post("/nothing", ""));
            assertUnavailable(server.as("ann").post("/nothing", "", "Idempotency-Key", "k"));
            store.comeUp();
            assertThat(server.asNobody().get("/health/ready").status()).isEqualTo(200);
            assertThat(server.as("ann")
                            .post("/nothing", "", "Idempotency-Key", "k")
                            .status())
                    .isEqualTo(204);
        }
    }

    private static void assertUnavailable(Reply reply) {
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.text("error")).isEqualTo("Store unavailable");
        assertThat(reply.text("code")).isEqualTo("store_unavailable");
        assertThat(reply.header("Retry-After")).isEqualTo("1");
    }
}
