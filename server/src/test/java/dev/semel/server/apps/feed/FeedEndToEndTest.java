package dev.semel.server.apps.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.server.AppDriver;
import dev.semel.server.EndToEnd;
import dev.semel.server.ServerFixture.Reply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("jdk")
class FeedEndToEndTest extends EndToEnd {

    private static final String FEED = "/v1/feed/posts";

    FeedEndToEndTest(On on) {
        super(on);
    }

    /** Sends a request with a new key. */
    private static Reply send(String user, String method, String path, String body) {
        return send(user, method, path, body, IdSchemes.TID62.mint());
    }

    private static Reply send(String user, String method, String path, String body, String key) {
        return as(user).send(method, path, body, "Idempotency-Key", key, "X-Client-Tx-Id", "tx-" + key);
    }

    private static String publish(String user, String text) {
        Reply made = send(user, "POST", FEED, "{\"text\":\"" + text + "\"}");
        assertThat(made.status()).isEqualTo(201);
        return made.text("id");
    }

    @Test
    void post_isPublishedLikedCommentedAndDeleted() {
        Reply made = send("ann", "POST", FEED, "{\"text\":\"hello\",\"unknown\":1}");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().propertyNames())
                .containsExactly("id", "author", "text", "createdAt", "likes", "comments");
        assertThat(IdSchemes.TID62.isValid(made.text("id"))).isTrue();
        assertThat(made.text("author") + made.text("text") + made.text("likes") + made.text("comments"))
                .isEqualTo("annhello00");
        assertThat(made.text("createdAt")).matches("20.*Z");
        String path = FEED + "/" + made.text("id");
        assertThat(as("bob").get(path).text()).isEqualTo(made.text());

        assertThat(send("bob", "POST", path + "/likes", "").status()).isEqualTo(201);
        assertThat(send("bob", "POST", path + "/likes", "").status()).isEqualTo(201);
        assertThat(send("ann", "POST", path + "/likes", "{}").text("likes")).isEqualTo("2");
        Reply comment = send("bob", "POST", path + "/comments", "{\"text\":\"first\"}");
        assertThat(comment.status()).isEqualTo(201);
        assertThat(comment.json().propertyNames()).contains("id", "author", "text", "createdAt");
        send("ann", "POST", path + "/comments", "{\"text\":\"second\"}");
        assertThat(as("ann").get(path).text("likes") + as("ann").get(path).text("comments"))
                .isEqualTo("22");
        assertThat(allPages(as("ann"), path + "/comments", 1, "text")).containsExactly("first", "second");

        assertProblem(send("bob", "DELETE", path, ""), 403, "not_author");
        assertThat(send("ann", "DELETE", path, "").status()).isEqualTo(200);
        for (Reply reply : List.of(
                as("ann").get(path),
                as("ann").get(path + "/comments"),
                send("bob", "POST", path + "/likes", ""),
                send("bob", "POST", path + "/comments", "{\"text\":\"x\"}"),
                send("ann", "DELETE", path, ""))) {
            assertProblem(reply, 404, "not_found");
        }
    }

    @Test
    void posts_areListedByTheOrderOfTheirCommits() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            // Chosen ids decrease, while commit sequence numbers increase.
            String id = IdSchemes.TID62.mintAt(
                    java.time.Instant.parse("2030-01-01T00:00:00Z").minusSeconds(60L * i));
            Reply made = send("ann", "POST", FEED, "{\"id\":\"" + id + "\",\"text\":\"order\"}");
            assertThat(made.text("id")).isEqualTo(id);
            ids.add(id);
            if (i == 6) {
                send("bob", "POST", FEED + "/" + ids.get(0) + "/likes", ""); // a like does not change the order
            }
        }
        Collections.reverse(ids);
        assertThat(column(as("ann").get(FEED + "?limit=12"), "id")).isEqualTo(ids);
        assertThat(allPages(as("ann"), FEED, 5, "id")).containsSubsequence(ids);
    }

    @Test
    void chosenId_isUsedOnce() {
        String id = IdSchemes.TID62.mint();
        String body = "{\"id\":\"" + id + "\",\"text\":\"mine\"}";
        assertThat(send("ann", "POST", FEED, body).text("id")).isEqualTo(id);
        Reply taken = send("bob", "POST", FEED, body);
        assertProblem(taken, 409, "id_taken");
        assertThat(taken.text("error")).isEqualTo("id_taken");
        assertThat(as("ann").get(FEED + "/" + id).text("author")).isEqualTo("ann");
    }

    @Test
    void retryWithTheKey_happensOnce() {
        Reply first = send("ann", "POST", FEED, "{\"text\":\"once\"}", "k1");
        assertReplayed(first, send("ann", "POST", FEED, "{ \"text\":\"once\" }", "k1"));
        Reply other = send("ann", "POST", FEED, "{\"text\":\"twice\"}", "k1");
        assertThat(other.status()).isEqualTo(422);
        assertThat(other.text("error")).isEqualTo("Idempotency key reused with different payload");

        String path = FEED + "/" + first.text("id");
        assertReplayed(
                send("bob", "POST", path + "/comments", "{\"text\":\"c\"}", "k1"),
                send("bob", "POST", path + "/comments", "{\"text\":\"c\"}", "k1"));
        assertReplayed(send("bob", "POST", path + "/likes", "", "k1"), send("bob", "POST", path + "/likes", "", "k1"));
        assertThat(as("ann").get(path).text("comments")).isEqualTo("1");
        assertReplayed(send("bob", "DELETE", path, "", "k1"), send("bob", "DELETE", path, "", "k1"));
        assertReplayed(send("ann", "DELETE", path, "", "k1"), send("ann", "DELETE", path, "", "k1"));
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1/feed/posts",
        "POST, /v1/feed/posts/04XhXYx9xCjfPYf32/likes",
        "POST, /v1/feed/posts/04XhXYx9xCjfPYf32/comments",
        "DELETE, /v1/feed/posts/04XhXYx9xCjfPYf32"
    })
    void change_needsBothHeaders(String method, String path) {
        assertHeader("Missing Idempotency-Key header", method, path);
        assertHeader("Missing Idempotency-Key header", method, path, "X-Client-Tx-Id", "t");
        assertHeader("Missing X-Client-Tx-Id header", method, path, "Idempotency-Key", "k");
        assertHeader("Invalid Idempotency-Key format", method, path, "Idempotency-Key", "a.b", "X-Client-Tx-Id", "t");
        assertHeader("Invalid X-Client-Tx-Id format", method, path, "Idempotency-Key", "k", "X-Client-Tx-Id", "a.b");
        assertThat(asNobody().send(method, path, "{\"text\":\"x\"}").status()).isEqualTo(401);
    }

    @Test
    void unreadablePost_doesNotUseUpTheKey() {
        String[] headers = {"Idempotency-Key", IdSchemes.TID62.mint(), "X-Client-Tx-Id", "t"};
        assertThat(as("ann").post("/v1/feed/posts", "{\"text\":", headers).text("code"))
                .isEqualTo("invalid_json");
        assertThat(as("ann").post("/v1/feed/posts", "{\"text\":\"x\"}", headers).status())
                .isEqualTo(201);
    }

    private static void assertHeader(String error, String method, String path, String... headers) {
        Reply reply = as("ann").send(method, path, "{\"text\":\"x\"}", headers);
        assertThat(reply.status() + " " + reply.text("error")).isEqualTo("400 " + error);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|text",
                "{\"text\":1}|text",
                "{\"text\":\"\"}|text",
                "{\"text\":\"x\",\"id\":\"nonsense\"}|id",
                "{\"text\":\"x\",\"id\":7}|id"
            })
    void malformedPost_isRejectedByField(String body, String field) {
        assertInvalid(send("ann", "POST", FEED, body), field);
    }

    @Test
    void missingPost_isNotFound() {
        assertProblem(as("ann").get(FEED + "/04XhXYx9xCjfPYf32"), 404, "not_found");
        assertProblem(as("ann").get(FEED + "/nonsense"), 404, "not_found");
        assertProblem(as("ann").get(FEED + "/nonsense/comments"), 404, "not_found");
        assertInvalid(as("ann").get(FEED + "?limit=0"), "limit");
        assertInvalid(as("ann").get(FEED + "?after=nonsense!"), "after");
    }

    @Test
    void likesAtOnce_countOneForEachUser() throws Exception {
        String path = FEED + "/" + publish("ann", "popular");
        List<Integer> statuses = AppDriver.race(
                16,
                thread ->
                        send("user-" + thread % 8, "POST", path + "/likes", "").status());
        assertThat(statuses).containsOnly(201);
        assertThat(as("ann").get(path).text("likes")).isEqualTo("8");
    }

    @Test
    void responseOverTheLimit_isNotKeptAndTheRequestNotRepeated() {
        String text = "x".repeat((1 << 20) - 50);
        Reply first = send("large", "POST", FEED, "{\"text\":\"" + text + "\"}", "k-large");
        assertThat(first.status()).isEqualTo(201);
        assertThat(first.text("text")).isEqualTo(text);
        Reply again = send("large", "POST", FEED, "{\"text\":\"" + text + "\"}", "k-large");
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.text("code")).isEqualTo("response_not_kept");
        send("large", "DELETE", FEED + "/" + first.text("id"), "");
    }
}
