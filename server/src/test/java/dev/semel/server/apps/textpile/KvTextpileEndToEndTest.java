package dev.semel.server.apps.textpile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transactions;
import dev.semel.id.DayNonceScheme;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.kv.KvTiming;
import dev.semel.server.AppDriver;
import dev.semel.server.Apps;
import dev.semel.server.EndToEnd.On;
import dev.semel.server.ServerFixture;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.settings.AppSettings;
import dev.semel.server.settings.ShortIdSettings;
import dev.semel.store.Time;
import dev.semel.testkit.ForwardingStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Textpile with {@code --short-ids kv}, on each store. */
class KvTextpileEndToEndTest {

    private static final DocumentCollection POSTS = DocumentCollection.of("textpile", KeyTemplate.of("post:{id}"));

    /** Short enough for tests, and with a gap for a busy machine. */
    private static final KvTiming TIMING = new KvTiming(Duration.ofMillis(2_100), Duration.ofSeconds(2), Duration.ZERO);

    @TempDir
    private Path folder;

    private ServerFixture serve(ForwardingStore store) {
        return ServerFixture.on(
                store,
                Time.system(),
                Apps::all,
                settings -> settings.withApps(new AppSettings(null, new ShortIdSettings(3, TIMING, false), false)));
    }

    private static Stream<String> nonces(int letters) {
        return letters == 0
                ? Stream.of("")
                : nonces(letters - 1)
                        .flatMap(nonce -> DayNonceScheme.SAFE_ALPHABET.chars().mapToObj(c -> nonce + (char) c));
    }

    private static void take(ForwardingStore store, Stream<String> nonces) {
        String day = DayNonceScheme.formatDayUTC(store.clock().instant());
        List<String> taken = nonces.toList();
        new Transactions(store, Time.system()).run(tx -> {
            for (String nonce : taken) {
                POSTS.create(tx, "post:" + day + "-" + nonce, Json.of("{\"id\":\"taken\",\"allocToken\":\"x\"}"));
            }
            return 0;
        });
    }

    @ParameterizedTest
    @EnumSource
    void concurrentSubmits_onFewFreeIds_areAllStoredUnderTheirOwn(On on) throws Exception {
        ForwardingStore store = on.open(folder.resolve("store"));
        take(store, nonces(2).skip(10));
        try (ServerFixture server = serve(store)) {
            List<Reply> replies = AppDriver.race(
                    16, thread -> server.as("ann").post("/api/submit", "{\"body\":\"text " + thread + "\"}"));
            assertThat(replies).allMatch(reply -> reply.status() == 201);
            assertThat(replies.stream().map(reply -> reply.text("id")))
                    .doesNotHaveDuplicates()
                    .allMatch(id -> id.matches("^[0-9]{6}-[bcdfghjkmnpqrstvwxyz]{2,3}$"));
            for (int i = 0; i < replies.size(); i++) {
                String id = replies.get(i).text("id");
                Reply post = server.as("bob").get("/api/posts/" + id);
                assertThat(post.text("body")).isEqualTo("text " + i);
                assertThat(post.json().propertyNames()).containsExactly("id", "createdAt", "body");
                assertThat(server.asNobody().get("/p/" + id).text())
                        .contains("text " + i)
                        .doesNotContain("allocToken");
                assertThat(POSTS.read(store, "post:" + id).orElseThrow().data().text())
                        .contains("\"allocToken\":\"");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void retryWithTheKey_isReplayed_andFullDayIs503(On on) {
        ForwardingStore store = on.open(folder.resolve("store"));
        try (ServerFixture server = serve(store)) {
            Reply first = server.as("ann").post("/api/submit", "{\"body\":\"x\"}", "Idempotency-Key", "k1");
            assertThat(first.status()).isEqualTo(201);
            Reply again = server.as("ann").post("/api/submit", "{ \"body\":\"x\" }", "Idempotency-Key", "k1");
            assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
            assertThat(again.text()).isEqualTo(first.text());
            Reply other = server.as("ann").post("/api/submit", "{\"body\":\"y\"}", "Idempotency-Key", "k1");
            assertThat(other.status()).isEqualTo(422);
            Reply malformed = server.as("ann").post("/api/submit", "{}", "Idempotency-Key", "k2");
            assertThat(malformed.status()).isEqualTo(400);

            take(store, nonces(2));
            take(store, nonces(3));
            Reply full = server.as("ann").post("/api/submit", "{\"body\":\"z\"}", "Idempotency-Key", "k3");
            assertThat(full.status()).isEqualTo(503);
            assertThat(full.text("error")).isEqualTo("allocation_failed");
            assertThat(server.as("bob").get("/api/posts/" + first.text("id")).text("body"))
                    .isEqualTo("x");
        }
    }
}
