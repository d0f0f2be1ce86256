package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.testkit.StoreFixture;
import java.net.URLEncoder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Users whose names are those of identity providers use every system, and operators can act on their keys. */
class UserNamesEndToEndTest extends EndToEnd {

    private static final List<String> USERS = StoreFixture.USERS;
    private static final String WHY = "{\"reason\":\"asked\"}";

    private final Client operator = asOperator("olga@example.com");

    UserNamesEndToEndTest(On on) {
        super(on);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }

    private static Reply write(Client client, String path, String body, String key) {
        return client.post(path, body, "Idempotency-Key", key, "X-Client-Tx-Id", "tx-" + key);
    }

    @Test
    void keysOfEachUser_areTheirOwn() {
        for (String user : USERS) {
            Reply first = write(as(user), "/v1/feed/posts", "{\"text\":\"hello\"}", "own");
            assertThat(first.text("author")).isEqualTo(user);
            assertReplayed(first, write(as(user), "/v1/feed/posts", "{\"text\":\"hello\"}", "own"));
            Reply shown = as(user).get("/v1/idempotency/own?endpoint=POST%20/v1/feed/posts");
            assertThat(shown.text("status")).isEqualTo("completed");
            assertThat(column(as(user).get("/v1/idempotency?clientTxId=tx-own"), "key"))
                    .containsExactly("own");
        }
    }

    @Test
    void eachUser_likesAPostOnce() {
        String post = "/v1/feed/posts/"
                + write(as("ann"), "/v1/feed/posts", "{\"text\":\"liked\"}", IdSchemes.TID62.mint())
                        .text("id");
        for (String user : USERS) {
            for (int i = 0; i < 2; i++) {
                Reply liked = write(as(user), post + "/likes", "", IdSchemes.TID62.mint());
                assertThat(liked.status()).isEqualTo(201);
            }
        }
        assertThat(as("ann").get(post).text("likes")).isEqualTo(String.valueOf(USERS.size()));
    }

    @Test
    void collectionsAndSequencesOfEachUser_areTheirOwn() {
        for (String user : USERS) {
            for (String id : List.of("0000000001", "0000000002")) {
                Reply made = as(user).post("/v1/collections/names/records?scheme=seq10", "{}");
                assertThat(made.text("id")).isEqualTo(id);
            }
        }
        for (String user : USERS) {
            assertThat(column(as(user).get("/v1/collections/names/records"), "id"))
                    .hasSize(2);
        }
    }

    @Test
    void operators_findAndDecideAboutTheKeysOfEachUser_andEraseThem() {
        for (String user : USERS) {
            String named = "user=" + encoded(user);
            write(as(user), "/v1/feed/posts", "{\"text\":\"decided\"}", "ops");
            assertThat(column(operator.get("/v1/ops/keys?prefix=ops&" + named), "user"))
                    .containsExactly(user);
            String key = named + "&key=ops&endpoint=" + encoded("POST /v1/feed/posts");
            assertThat(operator.get("/v1/ops/key?" + key).text("user")).isEqualTo(user);
            assertProblem(operator.post("/v1/ops/key/release?" + key, WHY), 409, "wrong_state");
            assertProblem(operator.post("/v1/ops/key/complete?" + key, WHY), 409, "wrong_state");
            assertThat(operator.post("/v1/ops/key/expire?" + key, WHY).text("status"))
                    .isEqualTo("expired");
            Reply audited = operator.get("/v1/ops/audit?limit=1");
            assertThat(audited.json().get("items").get(0).get("user").asString())
                    .isEqualTo(user);
        }
        int left = USERS.size();
        for (String user : USERS) {
            Reply erased = operator.delete("/v1/ops/user?records=true&reason=asked&user=" + encoded(user));
            assertThat(erased.text("user")).isEqualTo(user);
            assertThat(column(operator.get("/v1/ops/keys?prefix=ops&limit=1000"), "user"))
                    .hasSize(--left)
                    .doesNotContain(user);
        }
    }

    @Test
    void routesThatNameAKeyInTheQuery_rejectMissingAndMalformedParts_andOtherUsers() {
        assertInvalid(operator.get("/v1/ops/key?key=k&endpoint=e"), "user");
        assertInvalid(operator.get("/v1/ops/key?user=ann&endpoint=e"), "key");
        assertInvalid(operator.get("/v1/ops/key?user=ann&key=k"), "endpoint");
        assertInvalid(operator.get("/v1/ops/key?user=..&key=k&endpoint=e"), "user");
        assertInvalid(operator.get("/v1/ops/key?user=ann&key=%C3%A9&endpoint=e"), "key");
        assertInvalid(operator.delete("/v1/ops/user?reason=x"), "user");
        assertInvalid(operator.delete("/v1/ops/user?reason=x&user=semel--operators"), "user");
        for (String user : List.of("ann", "olga")) {
            assertProblem(as(user).get("/v1/ops/key?user=ann&key=k&endpoint=e"), 403, "not_operator");
            assertProblem(as(user).delete("/v1/ops/user?user=ann"), 403, "not_operator");
            for (String action : List.of("release", "expire", "complete")) {
                String path = "/v1/ops/key/" + action + "?user=ann&key=k&endpoint=e";
                assertProblem(as(user).post(path, WHY), 403, "not_operator");
            }
        }
    }
}
