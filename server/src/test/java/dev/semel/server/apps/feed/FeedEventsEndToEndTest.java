package dev.semel.server.apps.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.server.AppDriver;
import dev.semel.server.EndToEnd;
import dev.semel.server.EventStream;
import dev.semel.server.EventStream.Event;
import dev.semel.server.ServerFixture.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // reading a socket cannot be interrupted
class FeedEventsEndToEndTest extends EndToEnd {

    private static final String FEED = "/v1/feed/posts";
    private static final String LAST = "the last";

    FeedEventsEndToEndTest(On on) {
        super(on);
    }

    private static Reply send(String user, String method, String path, String body) {
        return send(user, method, path, body, IdSchemes.TID62.mint());
    }

    private static Reply send(String user, String method, String path, String body, String key) {
        return as(user).send(method, path, body, "Idempotency-Key", key, "X-Client-Tx-Id", "tx-" + key);
    }

    private static Reply publish(String user, String text) {
        Reply made = send(user, "POST", FEED, "{\"text\":\"" + text + "\"}");
        assertThat(made.status()).isEqualTo(201);
        return made;
    }

    @Test
    void eachChange_isAnEventWithItsPost() throws IOException {
        try (EventStream stream = events("cay")) {
            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.header("Content-Type")).isEqualTo("text/event-stream");
            assertThat(stream.header("Cache-Control")).isEqualTo("no-store");
            assertThat(stream.header("X-Accel-Buffering")).isEqualTo("no");

            Reply post = publish("ann", "hello\\n\\r\\nevent: delete\\ndata: \u00fc\u2028");
            String path = FEED + "/" + post.text("id");
            send("bob", "POST", path + "/likes", "");
            send("bob", "POST", path + "/likes", ""); // a second like changes nothing
            Reply comment = send("bob", "POST", path + "/comments", "{\"text\":\"first\"}");
            send("ann", "DELETE", path, "");
            Reply last = publish("ann", LAST);

            Event told = stream.event();
            assertThat(told.type()).isEqualTo("post");
            assertThat(told.data().propertyNames()).containsExactly("type", "user", "at", "postId", "post");
            assertThat(told.data().get("post")).isEqualTo(post.json());
            assertThat(told.text("user") + told.text("type")).isEqualTo("annpost");
            assertThat(told.text("at")).matches("20.*Z");

            told = stream.event();
            assertThat(told.type()).isEqualTo("like");
            assertThat(told.data().propertyNames()).containsExactly("type", "user", "at", "postId", "likes");
            assertThat(told.text("postId") + told.text("user") + told.text("likes"))
                    .isEqualTo(post.text("id") + "bob1");

            told = stream.event();
            assertThat(told.type()).isEqualTo("comment");
            assertThat(told.data().propertyNames())
                    .containsExactly("type", "user", "at", "postId", "comments", "comment");
            assertThat(told.data().get("comment")).isEqualTo(comment.json());
            assertThat(told.text("postId") + told.text("comments")).isEqualTo(post.text("id") + "1");

            told = stream.event();
            assertThat(told.type()).isEqualTo("delete");
            assertThat(told.data().propertyNames()).containsExactly("type", "user", "at", "postId");
            assertThat(told.text("postId")).isEqualTo(post.text("id"));

            assertThat(stream.event().data().get("post")).isEqualTo(last.json());
        }
    }

    @Test
    void retryAndRejection_areNotEvents() throws IOException {
        try (EventStream stream = events("cay")) {
            String body = "{\"text\":\"once\"}";
            Reply first = send("ann", "POST", FEED, body, "events-1");
            assertReplayed(first, send("ann", "POST", FEED, body, "events-1"));
            String path = FEED + "/" + first.text("id");
            assertProblem(send("bob", "DELETE", path, ""), 403, "not_author");
            assertProblem(send("bob", "POST", FEED + "/04XhXYx9xCjfPYf32/likes", ""), 404, "not_found");
            Reply last = publish("ann", LAST);
            assertThat(stream.event().text("postId")).isEqualTo(first.text("id"));
            assertThat(stream.event().text("postId")).isEqualTo(last.text("id"));
        }
    }

    @Test
    void clientTxId_isSentOnlyToTheUserWhoCausedTheEvent() throws IOException {
        try (EventStream anns = events("ann");
                EventStream bobs = events("bob")) {
            String path = FEED + "/"
                    + send("ann", "POST", FEED, "{\"text\":\"x\"}", "tx-a").text("id");
            as("bob").post(path + "/likes", "", "Idempotency-Key", "\"tx-b\"", "X-Client-Tx-Id", "\"quoted\"");
            assertThat(anns.event().text("clientTxId")).isEqualTo("tx-tx-a");
            assertThat(bobs.event().data().has("clientTxId")).isFalse();
            assertThat(anns.event().data().has("clientTxId")).isFalse();
            assertThat(bobs.event().text("clientTxId")).isEqualTo("quoted");
            String before = bobs.lastId();
            send("ann", "DELETE", path, "", "tx-c");
            // readers that resume later get the same events
            try (EventStream late = events("bob", before);
                    EventStream own = events("ann", before)) {
                assertThat(late.event().data().has("clientTxId")).isFalse();
                assertThat(own.event().text("clientTxId")).isEqualTo("tx-tx-c");
            }
        }
    }

    @Test
    void reconnectingReader_resumesWhereItStopped() throws IOException {
        String id;
        try (EventStream stream = events("cay")) {
            stream.nextBlock(); // sent before any event
            id = stream.lastId();
            assertThat(id).matches("[A-Za-z0-9_-]+");
        }
        List<String> posts = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            posts.add(publish("ann", "away").text("id"));
        }
        List<String> read = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            try (EventStream stream = events("cay", id)) {
                read.add(stream.event().text("postId"));
                id = stream.lastId();
            }
        }
        assertThat(read).isEqualTo(posts);
        try (EventStream stream = events("cay", id)) {
            Reply last = publish("ann", LAST);
            assertThat(stream.event().text("postId")).isEqualTo(last.text("id"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"04XhXYx9xCjfPYf32", "nonsense", "-1", "zzzzzzzzzzzzzzzzz"})
    void unknownLastEventId_getsAResetAndNewEvents(String id) throws IOException {
        publish("ann", "before");
        try (EventStream stream = events("cay", id)) {
            Event reset = stream.event();
            assertThat(reset.type() + reset.data()).isEqualTo("reset{\"type\":\"reset\"}");
            String before = stream.lastId();
            Reply last = publish("ann", LAST);
            assertThat(stream.event().text("postId")).isEqualTo(last.text("id"));
            try (EventStream again = events("cay", before)) {
                assertThat(again.event().text("postId")).isEqualTo(last.text("id"));
            }
        }
    }

    @Test
    void stream_needsAToken_andIsNotStartedByHead() throws IOException {
        assertThat(asNobody().get("/v1/feed/events").status()).isEqualTo(401);
        Reply head = as("ann").send("HEAD", "/v1/feed/events", "");
        assertThat(head.status() + head.header("Content-Type")).isEqualTo("200text/event-stream");
        assertThat(as("ann").post("/v1/feed/events", "{}").status()).isEqualTo(405);
    }

    /** Readers disconnect at random while many clients write. */
    @Test
    void readersOfManyWriters_allSeeTheCommitOrder_withoutAGapOrARepeat() throws Exception {
        int readers = 8;
        ExecutorService threads = Executors.newFixedThreadPool(readers);
        try {
            List<Future<List<String>>> journals = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                EventStream stream = events("reader-" + i);
                stream.nextBlock();
                Random random = new Random(i);
                journals.add(threads.submit(() -> journal(stream, random)));
            }
            AppDriver.race(8, writer -> {
                String post = "";
                for (int n = 0; n < 12; n++) {
                    if (n % 3 == 0) {
                        post = publish("writer-" + writer, "many").text("id");
                    } else {
                        String what = n % 3 == 1 ? "/likes" : "/comments";
                        send("writer-" + writer, "POST", FEED + "/" + post + what, "{\"text\":\"c\"}");
                    }
                }
                return post;
            });
            publish("ann", LAST);
            List<String> first = journals.get(0).get();
            assertThat(first).hasSize(8 * 12 + 1).doesNotHaveDuplicates();
            for (Future<List<String>> journal : journals) {
                assertThat(journal.get()).isEqualTo(first);
            }
            List<String> posts = first.stream()
                    .filter(event -> event.startsWith("post "))
                    .map(event -> event.split(" ", 3)[1])
                    .toList();
            List<String> listed = column(as("ann").get(FEED + "?limit=" + posts.size()), "id");
            java.util.Collections.reverse(listed);
            assertThat(posts).isEqualTo(listed);
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<String> journal(EventStream begun, Random random) throws IOException {
        List<String> journal = new ArrayList<>();
        EventStream stream = begun;
        while (true) {
            Event event = stream.event();
            journal.add(event.type() + " " + event.text("postId") + " " + stream.lastId());
            if (event.type().equals("post")
                    && event.data().get("post").get("text").asString().equals(LAST)) {
                stream.close();
                return journal;
            }
            if (random.nextInt(10) == 0) {
                stream.close();
                // another user, since each may open a limited number of streams
                stream = events("again-" + random.nextInt(1 << 20), stream.lastId());
            }
        }
    }
}
