package dev.semel.server.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.KeyRange;
import dev.semel.server.Apps;
import dev.semel.server.ServerFixture;
import dev.semel.server.ServerFixture.Client;
import dev.semel.store.Cleanup;
import dev.semel.store.DocumentId;
import dev.semel.store.MemoryStore;
import dev.semel.store.Scan;
import dev.semel.store.Transactions;
import dev.semel.testkit.ControlledTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class GonePostsTest {

    private final ControlledTime time = new ControlledTime();
    private final MemoryStore store = new MemoryStore(time, 64 << 20);
    private int keys;

    private String send(Client client, String path, String body) {
        String key = "k" + ++keys;
        return client.post(path, body, "Idempotency-Key", key, "X-Client-Tx-Id", key)
                .text("id");
    }

    @Test
    void postsThatAreTooOld_goWithTheirLikesAndComments_andNoOthers() {
        try (ServerFixture server =
                ServerFixture.on(store, time, Apps::all, settings -> settings.withFeedRetention(Duration.ofDays(30)))) {
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

            time.advance(Duration.ofDays(1).plusHours(7)); // and until the next sweep
            assertThat(store.housekeeping().cleanups(10_000))
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

    @Test
    void likesAndCommentsOfADeletedPost_goWithTheNextSweep_andNoOthers() {
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
            assertThat(documents("feed/likes") + documents("feed/comments")).isEqualTo(302);
            assertThat(new GonePosts(new Transactions(store, time)).removeLeftOver())
                    .isBetween(1L, 20L); // a little at a time

            time.advance(Duration.ofHours(7));
            assertThat(documents("feed/likes")).isEqualTo(150);
            assertThat(documents("feed/comments")).isEqualTo(1);
            assertThat(documents("feed/left-over")).isZero();
            assertThat(ann.get("/v1/feed/posts/" + stays).json().get("likes").asInt())
                    .isEqualTo(150);
        }
    }

    private int documents(String collection) {
        return store.scan(new Scan(collection, "", "", KeyRange.ofPrefix(""), "", 1000))
                .size();
    }

    @Test
    void postsStay_unlessItIsSaidOtherwise() {
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
