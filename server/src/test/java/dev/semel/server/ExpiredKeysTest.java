package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.OnceSettings.IfExpired;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.ServerFixture.Reply;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** With {@code --expired-keys reject}, expired keys are rejected. */
class ExpiredKeysTest {

    private static final String ENDPOINT = "?endpoint=POST%20/v1/feed/posts";

    @TempDir
    Path folder;

    private static Reply publish(Client client, String text) {
        return client.post(
                "/v1/feed/posts", "{\"text\":\"" + text + "\"}", "Idempotency-Key", "k", "X-Client-Tx-Id", "tx");
    }

    @ParameterizedTest
    @EnumSource(EndToEnd.On.class)
    void expiredKey_isRejected_andNothingRuns_alsoAfterASweep(EndToEnd.On on) {
        try (ServerFixture server = ServerFixture.on(
                on.storage(folder.resolve("store")),
                Apps::all,
                settings -> settings.withOnce(once -> once.withIfExpired(IfExpired.REJECT)))) {
            Client ann = server.as("ann");
            Client operator = server.withToken(server.token("olga", List.of("operator")));
            Reply first = publish(ann, "hello");
            assertThat(first.status()).isEqualTo(201);
            EndToEnd.assertReplayed(first, publish(ann, "hello"));
            String key = "/v1/ops/keys/ann/k";
            assertThat(operator.post(key + "/expire" + ENDPOINT, "{\"reason\":\"a test\"}")
                            .text("status"))
                    .isEqualTo("expired");
            assertRefused(ann);
            assertThat(operator.get(key + ENDPOINT).text("responseStatus")).isEqualTo("201");

            assertThat(operator.post("/v1/ops/sweeps", "").status()).isEqualTo(200);
            assertThat(operator.get(key + ENDPOINT).json().get("responseStatus").isNull())
                    .isTrue();
            assertRefused(ann);
            assertThat(ann.get("/v1/idempotency/k" + ENDPOINT).text("status")).isEqualTo("expired");
            assertThat(EndToEnd.column(ann.get("/v1/feed/posts"), "id")).containsExactly(first.text("id"));
            assertThat(publish(server.as("bob"), "hello").status()).isEqualTo(201); // the same key of another user
        }
    }

    private static void assertRefused(Client client) {
        for (String text : List.of("hello", "something else", "hello")) {
            Reply refused = publish(client, text);
            EndToEnd.assertProblem(refused, 410, "key_expired");
            assertThat(refused.header("Idempotency-Replayed")).isEmpty();
        }
    }
}
