package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.memory.MemoryStore;
import dev.semel.outbox.Outbox.Query;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutboxRequestTest {

    private static void assertRejected(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(300));
    }

    @Test
    void request_hasDefaults_andChangesOnePartAtATime() {
        OutboxRequest plain = OutboxRequest.post("/v1/posts");
        assertThat(plain)
                .isEqualTo(new OutboxRequest(
                        "post", "POST", "/v1/posts", "application/json", Payload.of(""), OutboxRequest.DEFAULT_LANE));
        OutboxRequest full = plain.operation("create").lane("ann").body("text/plain; charset=utf-8", Payload.of("hi"));
        assertThat(full)
                .isEqualTo(new OutboxRequest(
                        "create", "POST", "/v1/posts", "text/plain; charset=utf-8", Payload.of("hi"), "ann"));
        assertThat(full.json("[1]").contentType()).isEqualTo("application/json");
        assertThat(OutboxRequest.put("/x").method()).isEqualTo("PUT");
        assertThat(OutboxRequest.patch("/x").method()).isEqualTo("PATCH");
        assertThat(OutboxRequest.delete("/x").method()).isEqualTo("DELETE");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/v1/feed/posts",
                "/v1/feed/posts?a=b&c=%20",
                "http://localhost:8080/x",
                "https://api.example.com",
                "HTTPS://[::1]:1/x"
            })
    void pathsAndUrls_areEndpoints(String endpoint) {
        assertThat(OutboxRequest.post(endpoint).endpoint()).isEqualTo(endpoint);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "v1/posts",
                "no url",
                "//evil.example/x",
                "/a b",
                "/ä",
                "/a#b",
                "/a\nHost: evil",
                "/%",
                "ftp://example.com/x",
                "http:/x",
                "http://",
                "http://user@example.com/",
                "http://example.com:99999/",
                "mailto:ann@example.com",
                "http://exa mple.com/"
            })
    void endpointThatIsNoUrl_isRejected(String endpoint) {
        assertRejected(() -> OutboxRequest.post(endpoint), "The endpoint must be a path such as /v1/feed/posts");
    }

    @Test
    void endpointThatIsTooLong_isRejected() {
        assertRejected(() -> OutboxRequest.post("/" + "x".repeat(2048)), "The endpoint has 2049 characters");
    }

    @Test
    void laneOperationAndContentType_areLimited() {
        OutboxRequest request = OutboxRequest.post("/x");
        assertRejected(() -> request.lane("x".repeat(10_000)), "The lane must have 1 to 255 characters, not 10000");
        assertRejected(() -> request.lane(""), "The lane must have 1 to 255 characters, not 0");
        assertRejected(() -> request.lane("a\nb"), "The lane must not contain control characters");
        assertRejected(() -> request.lane("a\uD83D"), "halves of surrogate pairs");
        assertRejected(() -> request.operation("\u0000"), "The operation must not contain");
        assertThat(request.lane("\uD83D\uDE00".repeat(255)).lane()).hasSize(510);
        for (String type : new String[] {"json", "a/b\r\nX: y", "text/ä", "/", "a/", "a b/c", "text/plain\u0000"}) {
            assertThatThrownBy(() -> request.body(type, Payload.of("")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("content type");
        }
    }

    @Test
    void otherMethods_areRejected() {
        assertRejected(() -> OutboxRequest.of("GET", "/x"), "The method must be POST, PUT, PATCH or DELETE, not 'GET'");
        assertRejected(() -> OutboxRequest.of("post", "/x"), "not 'post'");
    }

    @Test
    void payloadThatIsTooLongOrNotJson_isRejected() {
        OutboxRequest request = OutboxRequest.post("/x");
        assertRejected(
                () -> request.json("\"" + "x".repeat(Payload.MOST_BYTES) + "\""), "1048578 bytes; the most is 1048576");
        assertRejected(() -> request.json("{"), "");
        assertRejected(() -> request.json("\"\uD83D\""), "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A", "a-b", "a.b", "123456789012345678901234567890123"})
    void malformedNameOfAnOutbox_isRejected(String name) {
        try (MemoryStore store = new MemoryStore()) {
            assertRejected(() -> Outbox.on(store, name), "The name of an outbox");
            assertRejected(() -> Outbox.on(store, "a", Duration.ofSeconds(-1)), "cannot be kept");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, 0, 1001})
    void limitOfAPage_isOneToAThousand(int limit) {
        assertRejected(() -> new Query(null, null, "", limit), "1 to 1000");
        assertThat(new Query(null, null, "", 1000).limit()).isEqualTo(1000);
    }
}
