package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.JsonText;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server without {@code --auth} accepts requests from this machine only. */
class DevModeTest {

    private static final ServerFixture SERVER = ServerFixture.onMemory(apps -> List.of(routes ->
            routes.get("/who", request -> ApiResponse.ok(JsonText.object().put("user", request.user())))));

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @Test
    void anybody_getsAnyToken() {
        Reply reply = SERVER.asNobody().post("/v1/dev/token", "{\"user\":\"ann\",\"roles\":[\"operator\"]}");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json().propertyNames()).containsExactly("token");
        assertThat(SERVER.withToken(reply.text("token")).get("/who").text()).isEqualTo("{\"user\":\"ann\"}");
        assertThat(SERVER.asNobody().post("/v1/dev/token", "{\"user\":\"bob\"}").status())
                .isEqualTo(200);
    }

    @Test
    void tokenOfAnotherServer_isRejected() {
        try (ServerFixture other = ServerFixture.onMemory(apps -> List.of())) {
            assertThat(SERVER.withToken(other.token("ann")).get("/who").status())
                    .isEqualTo(401);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"user\":\"\"}",
                "{\"user\":7}",
                "{\"user\":\"a\\nb\"}",
                "{\"user\":\"..\"}",
                "{\"user\":\"ann\",\"roles\":\"operator\"}",
                "{\"user\":\"ann\",\"roles\":[1]}",
                "[]",
                "{"
            })
    void tokenForNobody_isRejected(String body) {
        assertThat(SERVER.asNobody().post("/v1/dev/token", body).status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://evil.example", "null", "https://localhost.evil.example", "http://localhost:1", "x"})
    void foreignOrigin_isRejected(String origin) {
        Reply reply = SERVER.asNobody().post("/v1/dev/token", "{\"user\":\"ann\"}", "Origin", origin);
        assertThat(reply.status()).isEqualTo(403);
        assertThat(reply.text("code")).isEqualTo("foreign_origin");
        assertThat(SERVER.as("ann").get("/who", "Origin", origin).status()).isEqualTo(403);
    }

    @Test
    void ownOrigin_isAccepted() {
        String origin = "http://localhost:" + SERVER.server().port();
        assertThat(SERVER.as("ann").get("/who", "Origin", origin).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "0.0.0.0"})
    void foreignHost_isRejected(String host) throws Exception {
        String answer = RawSocket.send(
                SERVER.server().port(), "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 403").contains("\"code\":\"foreign_host\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST:1", "127.0.0.1:80", "127.1.2.3", "[::1]:80"})
    void ownHost_isAccepted(String host) throws Exception {
        String answer = RawSocket.send(
                SERVER.server().port(), "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 200");
    }
}
