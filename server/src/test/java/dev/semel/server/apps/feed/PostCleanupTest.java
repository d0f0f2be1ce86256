package dev.semel.server.apps.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.Transactions;
import dev.semel.key.KeyRange;
import dev.semel.memory.MemoryStore;
import dev.semel.server.Apps;
import dev.semel.server.EndToEnd;
import dev.semel.server.ServerFixture;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.settings.AppSettings;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.ShortIdSettings;
import dev.semel.store.DocumentId;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.ForwardingStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

class PostCleanupTest {

    private final ControlledTime time = new ControlledTime();
    private final MemoryStore store = new MemoryStore(time, 64 << 20);
    private int keys;

    @TempDir
    Path folder;

    private static ServerSettings forAMonth(ServerSettings settings) {
        return settings.withApps(new AppSettings(Duration.ofDays(30), ShortIdSettings.atomic(3), false));
    }

    private String send(Client client, String path, String body) {
        String key = "k" + ++keys;
        return client.post(path, body, "Idempotency-Key", key, "X-Client-Tx-Id", key)
                .text("id");
    }

    @Test
    void oldPosts_areDeletedWithTheirLikesAndComments_andNoOthers() {
        try (ServerFixture server = ServerFixture.on(store, time, Apps::all, PostCleanupTest::forAMonth)) {
            Client ann = server.as("ann");
            String old = "";
            for (int i = 0; i < 45; i++) {
                old = send(ann, "/v1/feed/posts", "{\"text\":\"old\"}");
            }
            String comment = send(ann, "/v1/feed/posts/" + old + "/comments", "{\"text\":\"me too\"}");
            String large = "x".repeat(900_000);
            for (int i = 0; i < 7; i++) {
                send(ann, "/v1/feed/posts/" + old + "/comments", "{\"text\":\"" + large + "\"}");
            }
            for (int i = 0; i < 120; i++) {
                send(server.as("user-" + i), "/v1/feed/posts/" + old + "/likes", "");
            }
            time.advance(Duration.ofDays(29));
            String young = send(server.as("ann"), "/v1/feed/posts", "{\"text\":\"young\"}");
            assertThat(read(server, old)).isEqualTo(200);

            time.advance(Duration.ofDays(1).plusHours(7)); // past the next sweep
            assertThat(store.admin().cleanups(10_000))
                    .filteredOn(cleanup -> cleanup.table().equals("posts"))
                    .extracting(Cleanup::deleted)
                    .filteredOn(count -> count > 0)
                    .containsExactly(45L);
            assertThat(read(server, old)).isEqualTo(404);
            assertThat(read(server, young)).isEqualTo(200);
            assertThat(server.as("ann")
                            .get("/v1/feed/posts")
                            .json()
                            .get("items")
                            .size())
                    .isEqualTo(1);
            assertThat(store.scan(new Scan("feed/comments", "", "", KeyRange.ofPrefix(""), "", 10)))
                    .isEmpty();
            for (DocumentId gone : List.of(
                    new DocumentId("feed/comments", "", old + "-" + comment),
                    new DocumentId("feed/likes", "", old + "-user-7"),
                    new DocumentId("feed/counts", "", old))) {
                assertThat(store.read(gone)).isEmpty();
            }
        }
    }

    /** A store whose clock the test sets ahead. */
    private static final class Ahead extends ForwardingStore {

        private volatile Duration ahead = Duration.ZERO;

        Ahead(DocumentStore store) {
            super(store);
        }

        @Override
        public InstantSource clock() {
            return () -> store.clock().instant().plus(ahead);
        }
    }

    @ParameterizedTest
    @EnumSource(EndToEnd.On.class)
    void requestedSweep_deletesOldPosts_andIsListed_onEachStore(EndToEnd.On on) {
        Ahead kept = new Ahead(on.open(folder.resolve("store")));
        try (ServerFixture server = ServerFixture.on(kept, time, Apps::all, PostCleanupTest::forAMonth)) {
            Client ann = server.as("ann");
            Client operator = server.withToken(server.token("olga", List.of("operator")));
            List<String> old = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                old.add(send(ann, "/v1/feed/posts", "{\"text\":\"old\"}"));
            }
            for (String post : old.subList(0, 2)) {
                send(ann, "/v1/feed/posts/" + post + "/comments", "{\"text\":\"me too\"}");
                for (int i = 0; i < 21; i++) {
                    send(server.as("user-" + i), "/v1/feed/posts/" + post + "/likes", "");
                }
            }
            kept.ahead = Duration.ofDays(29);
            String young = send(ann, "/v1/feed/posts", "{\"text\":\"young\"}");
            send(ann, "/v1/feed/posts/" + young + "/comments", "{\"text\":\"me too\"}");
            send(ann, "/v1/feed/posts/" + young + "/likes", "");
            operator.post("/v1/ops/sweeps", "");
            assertThat(sweptPosts(operator)).containsExactly(0L);
            assertThat(documents(kept, "feed/posts")).isEqualTo(8);

            kept.ahead = Duration.ofDays(31);
            operator.post("/v1/ops/sweeps", "");
            assertThat(sweptPosts(operator)).containsExactly(7L, 0L);
            for (String post : old) {
                assertThat(read(server, post)).isEqualTo(404);
            }
            assertThat(ann.get("/v1/feed/posts/" + young).json().get("likes").asInt())
                    .isEqualTo(1);
            for (String collection : List.of("feed/posts", "feed/likes", "feed/comments", "feed/counts")) {
                assertThat(documents(kept, collection)).as(collection).isEqualTo(1);
            }
            assertThat(documents(kept, "feed/left-over")).isZero();
        }
    }

    /** Returns how many posts each sweep has deleted, the latest first. */
    private static List<Long> sweptPosts(Client operator) {
        List<Long> counts = new ArrayList<>();
        for (JsonNode cleanup : operator.get("/v1/ops/sweeps").json().get("items")) {
            if (cleanup.get("table").asString().equals("posts")) {
                counts.add(cleanup.get("deleted").asLong());
            }
        }
        return counts;
    }

    @Test
    void likesAndCommentsOfADeletedPost_areDeletedByTheNextSweep_andNoOthers() {
        try (ServerFixture server = ServerFixture.on(store, time, Apps::all)) {
            Client ann = server.as("ann");
            String gone = send(ann, "/v1/feed/posts", "{\"text\":\"gone\"}");
            String stays = send(ann, "/v1/feed/posts", "{\"text\":\"stays\"}");
            for (String post : List.of(gone, stays)) {
                for (int i = 0; i < 150; i++) {
                    send(server.as("user-" + i), "/v1/feed/posts/" + post + "/likes", "");
                }
                send(ann, "/v1/feed/posts/" + post + "/comments", "{\"text\":\"me too\"}");
            }
            assertThat(ann.delete("/v1/feed/posts/" + gone, "Idempotency-Key", "d", "X-Client-Tx-Id", "d")
                            .status())
                    .isEqualTo(200);
            assertThat(documents(store, "feed/likes") + documents(store, "feed/comments"))
                    .isEqualTo(302);
            assertThat(new PostCleanup(new Transactions(store, time)).removeLeftOver())
                    .isBetween(1L, 20L); // in small steps

            time.advance(Duration.ofHours(7));
            assertThat(documents(store, "feed/likes")).isEqualTo(150);
            assertThat(documents(store, "feed/comments")).isEqualTo(1);
            assertThat(documents(store, "feed/left-over")).isZero();
            assertThat(ann.get("/v1/feed/posts/" + stays).json().get("likes").asInt())
                    .isEqualTo(150);
        }
    }

    private static int documents(DocumentStore store, String collection) {
        return store.scan(new Scan(collection, "", "", KeyRange.ofPrefix(""), "", 1000))
                .size();
    }

    @Test
    void posts_areKeptByDefault() {
        try (ServerFixture server = ServerFixture.on(store, time, Apps::all)) {
            String post = send(server.as("ann"), "/v1/feed/posts", "{\"text\":\"kept\"}");
            time.advance(Duration.ofDays(3650));
            assertThat(read(server, post)).isEqualTo(200);
        }
    }

    private static int read(ServerFixture server, String post) {
        return server.as("ann").get("/v1/feed/posts/" + post).status();
    }
}
