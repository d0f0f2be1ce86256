package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import java.net.http.HttpHeaders;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProofTest {

    private final OutboxEntry entry;

    ProofTest() {
        try (MemoryStore store = new MemoryStore()) {
            entry = Outbox.on(store).add(OutboxRequest.post("/x"));
        }
    }

    private boolean isGiven(Proof proof, int status, String... headers) {
        Map<String, List<String>> map = new HashMap<>();
        for (int i = 0; i < headers.length; i += 2) {
            map.computeIfAbsent(headers[i], any -> new ArrayList<>()).add(headers[i + 1]);
        }
        return proof.isGiven(entry, status, HttpHeaders.of(map, (name, value) -> true));
    }

    @Test
    void headersOfSemel_proveTheOrigin_whateverTheStatus() {
        for (int status : new int[] {200, 201, 403, 422}) {
            assertThat(isGiven(Proof.SEMEL, status, "Idempotency-Replayed", "true"))
                    .isTrue();
            assertThat(isGiven(Proof.SEMEL, status, "idempotency-expires", "2026-01-08T12:00:00Z"))
                    .isTrue();
            assertThat(isGiven(Proof.SEMEL, status, "X-Client-Tx-Id", entry.clientTxId()))
                    .isTrue();
            assertThat(isGiven(Proof.SEMEL, status)).isFalse();
        }
    }

    @Test
    void clientTxIdOfAnotherRequest_provesNothing() {
        assertThat(isGiven(Proof.SEMEL, 200, "X-Client-Tx-Id", entry.clientTxId() + "x"))
                .isFalse();
        assertThat(isGiven(Proof.SEMEL, 200, "X-Client-Tx-Id", "")).isFalse();
        assertThat(isGiven(
                        Proof.SEMEL,
                        201,
                        "X-Client-Tx-Id",
                        entry.clientTxId() + "x",
                        "Idempotency-Expires",
                        "2026-01-08T12:00:00Z"))
                .isFalse();
    }

    @Test
    void chosenHeader_provesTheOrigin() {
        assertThat(isGiven(Proof.header("X-Request-Id"), 200, "x-request-id", "1"))
                .isTrue();
        assertThat(isGiven(Proof.header("X-Request-Id"), 200, "X-Other", "1")).isFalse();
    }

    @Test
    void mediaType_provesTheOrigin_withAnyParameters() {
        Proof json = Proof.contentType("application/JSON");
        assertThat(isGiven(json, 200, "Content-Type", "application/json")).isTrue();
        assertThat(isGiven(json, 200, "Content-Type", "Application/Json ; charset=utf-8"))
                .isTrue();
        assertThat(isGiven(json, 200, "Content-Type", "application/jsonl")).isFalse();
        assertThat(isGiven(json, 200, "Content-Type", "text/html")).isFalse();
        assertThat(isGiven(json, 200)).isFalse();
    }
}
