package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.log.Log;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** Secrets are neither in the log, at any level, nor in responses. */
class SecretsTest {

    private static final String PAYLOAD = "a-text-that-must-not-be-logged";
    private static final String KEY = "a-key-that-is-anns-own-affair";

    private final ByteArrayOutputStream log = new ByteArrayOutputStream();

    @BeforeEach
    void listen() {
        Log.setOutput(log);
        Log.setLevel(Level.TRACE); // the most verbose level
    }

    @AfterEach
    void stopListening() {
        Log.setLevel(Level.WARN);
        Log.setOutput(new FileOutputStream(FileDescriptor.err));
    }

    @Test
    void tokensPayloadsAndKeys_areInNoEntryAndNoError() throws Exception {
        String token;
        String bad;
        String answers;
        try (ServerFixture server = ServerFixture.onMemory()) {
            token = server.token("ann");
            bad = token.substring(0, token.length() - 4) + "AAAA";
            String body = "{\"body\":\"" + PAYLOAD + "\"}";
            assertThat(server.as("ann")
                            .post("/api/submit", body, "Idempotency-Key", KEY)
                            .status())
                    .isEqualTo(201);
            answers = server.withToken(bad)
                            .post("/api/submit", body, "Idempotency-Key", KEY)
                            .text()
                    + server.as("ann")
                            .post("/api/submit", body + PAYLOAD, "Idempotency-Key", KEY + "2")
                            .text()
                    + server.as("ann").get("/v1/tables/" + PAYLOAD).text();
            String table = server.as("ann").post("/v1/tables", "").text("tableId");
            try (SocketClient socket = SocketClient.ask(server.server().port(), "/v1/tables/" + table + "/actions")) {
                socket.ask("{\"type\":\"auth\",\"token\":\"" + token + "\"}");
                answers += socket.ask("{\"type\":\"" + PAYLOAD + "\"}");
                answers += socket.ask("{\"type\":\"auth\",\"token\":\"" + bad + "\"}");
            }
        }
        assertThat(log.toString(UTF_8)).contains("\"message\":\"request\"").doesNotContain(token, bad, PAYLOAD, KEY);
        assertThat(answers).doesNotContain(token, bad, PAYLOAD, KEY);
    }
}
