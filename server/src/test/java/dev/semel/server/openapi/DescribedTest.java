package dev.semel.server.openapi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.server.ServerFixture;
import dev.semel.server.openapi.Described.Answered;
import dev.semel.server.openapi.Described.Sent;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every difference from the description is detected. */
class DescribedTest {

    private static final String POST =
            "{\"id\":\"05CfA2htGe7FAlDTP\",\"author\":\"ann\",\"text\":\"x\",\"createdAt\":\"2026-01-01T00:00:00Z\",\"likes\":0,\"comments\":0}";
    private static Described api;

    @BeforeAll
    static void read() {
        try (ServerFixture server = ServerFixture.onMemory()) {
            api = server.described();
        }
    }

    private static Map<String, String> asked() {
        return new HashMap<>(Map.of("authorization", "Bearer x", "idempotency-key", "k", "x-client-tx-id", "t"));
    }

    private static Map<String, String> answered() {
        return new HashMap<>(Map.of("content-type", "application/json", "x-request-id", "r"));
    }

    private static void published(
            Map<String, String> asked, String sent, int status, Map<String, String> answered, String got) {
        api.check(
                new Sent("POST", "/v1/feed/posts", asked, sent.getBytes(UTF_8)),
                new Answered(status, answered, got.getBytes(UTF_8)));
    }

    @Test
    void whatIsAsDescribed_isFine() {
        assertThatCode(() -> published(asked(), "{\"text\":\"x\",\"more\":1}", 201, answered(), POST))
                .doesNotThrowAnyException();
    }

    @Test
    void otherStatus_isABreach() {
        assertThatThrownBy(() -> published(asked(), "{\"text\":\"x\"}", 202, answered(), POST))
                .hasMessageContaining("the status 202 is not described");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"likes\":0|\"likes\":-1|likes",
                "\"likes\":0|\"likes\":\"0\"|likes",
                ",\"likes\":0||likes",
                "\"likes\":0|\"likes\":0,\"dislikes\":0|dislikes",
                "00:00:00Z|00:00|createdAt",
                "05CfA2htGe7FAlDTP|5CfA2htGe7FAlDTP|id"
            })
    void otherBody_isABreach(String part, String instead, String named) {
        String got = POST.replace(part, instead == null ? "" : instead);
        assertThatThrownBy(() -> published(asked(), "{\"text\":\"x\"}", 201, answered(), got))
                .hasMessageContaining("the answer is not as described")
                .hasMessageContaining(named);
    }

    @Test
    void invalidJson_isABreach() {
        for (String got :
                new String[] {POST.substring(1), "", POST.replace("\"likes\":0", "\"likes\":0,\"likes\":0")}) {
            assertThatThrownBy(() -> published(asked(), "{\"text\":\"x\"}", 201, answered(), got))
                    .isInstanceOf(Described.Breach.class);
        }
    }

    @Test
    void otherProblem_isABreach() {
        String problem =
                "{\"type\":\"urn:semel:problem:%1$s\",\"title\":\"t\",\"status\":404,\"detail\":\"d\",\"code\":\"%1$s\",\"error\":\"e\"}";
        Map<String, String> headers = answered();
        headers.put("content-type", "application/problem+json");
        for (String code : new String[] {"not_found", "lost"}) {
            Answered answer = new Answered(404, headers, problem.formatted(code).getBytes(UTF_8));
            Sent sent = new Sent("GET", "/v1/feed/posts/05CfA2htGe7FAlDTP", asked(), new byte[0]);
            if (code.equals("not_found")) {
                assertThatCode(() -> api.check(sent, answer)).doesNotThrowAnyException();
            } else {
                assertThatThrownBy(() -> api.check(sent, answer)).hasMessageContaining("/code");
            }
        }
    }

    private static void changed(Consumer<Map<String, String>> change, String named) {
        Map<String, String> headers = answered();
        change.accept(headers);
        assertThatThrownBy(() -> published(asked(), "{\"text\":\"x\"}", 201, headers, POST))
                .hasMessageContaining(named);
    }

    @Test
    void otherHeaders_areABreach() {
        changed(headers -> headers.remove("x-request-id"), "the header x-request-id is missing");
        changed(headers -> headers.put("x-extra", "1"), "the header x-extra is not described");
        changed(headers -> headers.put("idempotency-expires", "soon"), "the header idempotency-expires is not as");
        changed(headers -> headers.put("content-type", "text/html"), "the type text/html is not described");
    }

    @Test
    void acceptedInvalidRequest_isABreach() {
        Map<String, String> withoutKey = asked();
        withoutKey.remove("idempotency-key");
        assertThatThrownBy(() -> published(withoutKey, "{\"text\":\"x\"}", 201, answered(), POST))
                .hasMessageContaining("was done without the header's idempotency-key");
        Map<String, String> withoutToken = asked();
        withoutToken.remove("authorization");
        assertThatThrownBy(() -> published(withoutToken, "{\"text\":\"x\"}", 201, answered(), POST))
                .hasMessageContaining("was done without a token");
        assertThatThrownBy(() -> published(asked(), "{}", 201, answered(), POST))
                .hasMessageContaining("what was sent is not as described");
        Answered ids = new Answered(200, answered(), "{\"ids\":[\"a\"]}".getBytes(UTF_8));
        for (String target : new String[] {"/v1/ids/tid62?n=0", "/v1/ids/tid62?m=1", "/v1/ids/tid63"}) {
            assertThatThrownBy(() -> api.check(new Sent("GET", target, asked(), new byte[0]), ids))
                    .isInstanceOf(Described.Breach.class);
        }
    }
}
