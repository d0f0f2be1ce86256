package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.memory.MemoryStore;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.JsonText;
import dev.semel.testkit.ControlledTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Behaviour that all routes have in common. */
@Tag("jdk")
class ServerTest {

    private static final ServerFixture SERVER = ServerFixture.onMemory(apps -> List.of(routes -> {
        routes.get(
                "/echo/{text}",
                request -> ApiResponse.ok(JsonText.object()
                        .put("text", request.part("text"))
                        .put("user", request.user())
                        .put("q", request.parameter("q").orElse("none"))));
        routes.atomic("POST", "/echo", request -> ApiResponse.created(request.object()));
        routes.get("/broken", request -> {
            throw new IllegalStateException("s3cret");
        });
    }));

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private static void assertProblem(Reply reply, int status, String code) {
        assertThat(reply.text("code") + " " + reply.status()).isEqualTo(code + " " + status);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.json().propertyNames()).contains("type", "title", "status", "detail", "code", "error");
        assertThat(reply.json().get("status").asInt()).isEqualTo(status);
        assertThat(reply.header("X-Request-Id")).isNotEmpty();
        assertThat(reply.text()).doesNotContain("Exception", "\tat ");
    }

    @Test
    void request_getsAResponse() {
        Reply reply = SERVER.as("ann").get("/echo/a%20b?q=%C3%A4+1&q=2");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.text()).isEqualTo("{\"text\":\"a b\",\"user\":\"ann\",\"q\":\"ä 1\"}");
        assertThat(reply.header("Content-Type")).isEqualTo("application/json");
        assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(reply.header("Server")).isEmpty();
        assertThat(IdSchemes.TID62.isValid(reply.header("X-Request-Id"))).isTrue();
    }

    @Test
    void head_isGetWithoutABody() {
        Reply get = SERVER.as("ann").get("/echo/a");
        Reply head = SERVER.as("ann").send("HEAD", "/echo/a", "");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.text()).isEmpty();
        assertThat(head.header("Content-Length")).isEqualTo(get.header("Content-Length"));
    }

    @Test
    void unknownPath_isNotFound() {
        assertProblem(SERVER.as("ann").get("/nothing"), 404, "not_found");
        assertProblem(SERVER.asNobody().get("/echo"), 405, "method_not_allowed");
        assertProblem(SERVER.as("ann").get("/echo/a/b/"), 404, "not_found");
    }

    @Test
    void wrongMethod_getsTheAllowedOnes() {
        Reply reply = SERVER.as("ann").delete("/echo/a");
        assertProblem(reply, 405, "method_not_allowed");
        assertThat(reply.header("Allow")).isEqualTo("GET, HEAD, OPTIONS");
        assertThat(SERVER.asNobody().send("OPTIONS", "/echo", "").header("Allow"))
                .isEqualTo("OPTIONS, POST");
    }

    @Test
    void unexpectedError_showsOnlyTheRequestId() {
        Reply reply = SERVER.as("ann").get("/broken", "X-Request-Id", "my-id");
        assertProblem(reply, 500, "internal_error");
        assertThat(reply.text("request_id")).isEqualTo("my-id");
        assertThat(reply.text()).doesNotContain("s3cret");
    }

    @Test
    void clockBeforeTheFirstId_isAccepted() {
        ControlledTime time = new ControlledTime();
        time.setClock(Instant.parse("2019-06-01T00:00:00Z")); // no tid62 has an earlier time than 2020
        try (ServerFixture server = ServerFixture.on(new MemoryStore(time, 1 << 20), time, apps -> List.of())) {
            assertThat(server.asNobody().get("/health/ready").status()).isEqualTo(200);
            assertProblem(server.asNobody().get("/%0a"), 400, "bad_request");
        }
    }

    @Test
    void bodyThatIsTooLarge_isRejected() {
        String large = "\"" + "x".repeat(1 << 20) + "\"";
        assertProblem(SERVER.as("ann").post("/echo", large), 413, "payload_too_large");
    }

    @Test
    void bodyOfAnotherType_isRejected() {
        ServerFixture.Client ann = SERVER.as("ann");
        assertProblem(ann.post("/echo", "{}", "Content-Type", "text/plain"), 415, "unsupported_media_type");
        assertProblem(
                ann.post("/echo", "{}", "Content-Type", "application/json; charset=latin1"),
                415,
                "unsupported_media_type");
        assertProblem(ann.post("/echo", "{}", "Content-Encoding", "gzip"), 415, "unsupported_media_type");
        assertThat(ann.post("/echo", "{}", "Content-Type", "application/json;charset=\"UTF-8\"")
                        .status())
                .isEqualTo(201);
        assertThat(ann.post("/echo", "{}", "Content-Type", "application/merge-patch+json")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void invalidJson_isRejected() {
        assertProblem(SERVER.as("ann").post("/echo", "{\"a\":1,\"a\":2}"), 400, "invalid_json");
        assertProblem(SERVER.as("ann").post("/echo", "[1]"), 400, "invalid_json");
        assertProblem(SERVER.as("ann").post("/echo", ""), 400, "invalid_json");
    }
}
