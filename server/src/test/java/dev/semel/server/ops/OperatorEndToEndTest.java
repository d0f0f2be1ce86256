package dev.semel.server.ops;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.server.EndToEnd;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.ServerFixture.Reply;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class OperatorEndToEndTest extends EndToEnd {

    private static final String ENDPOINT = "?endpoint=POST%20/v1/feed/posts";
    private static final String WHY = "{\"reason\":\"the customer called\"}";

    private final String user = IdSchemes.TID62.mint();
    private final Client operator = asOperator("olga");

    OperatorEndToEndTest(On on) {
        super(on);
    }

    private static Reply post(Client client, String key, String clientTxId) {
        return client.post(
                "/v1/feed/posts", "{\"text\":\"hello\"}", "Idempotency-Key", key, "X-Client-Tx-Id", clientTxId);
    }

    private String path(String key) {
        return "/v1/ops/keys/" + user + "/" + key;
    }

    private JsonNode latest() {
        return operator.get("/v1/ops/audit?limit=1").json().get("items").get(0);
    }

    @Test
    void otherUsers_areForbidden() {
        for (String path :
                List.of("/v1/ops/keys", "/v1/ops/keys/ann/k" + ENDPOINT, "/v1/ops/sweeps", "/v1/ops/audit")) {
            assertProblem(as(user).get(path), 403, "not_operator");
            assertProblem(asNobody().get(path), 401, "unauthorized");
        }
        assertProblem(as(user).delete("/v1/ops/users/ann?reason=x"), 403, "not_operator");
        assertProblem(as(user).post("/v1/ops/sweeps", "{}"), 403, "not_operator");
        for (String action : List.of("release", "expire", "complete")) {
            assertProblem(as(user).post("/v1/ops/keys/ann/k/" + action + ENDPOINT, WHY), 403, "not_operator");
        }
    }

    @Test
    void keys_areListedAndFound_withoutWhatWasAnswered() {
        post(as(user), "k1", "tx-1");
        post(as(user), "k2", "tx-2");
        assertThat(column(operator.get("/v1/ops/keys?user=" + user), "key")).containsExactlyInAnyOrder("k1", "k2");
        assertThat(allPages(operator, "/v1/ops/keys?user=" + user, 1, "key")).containsExactlyInAnyOrder("k1", "k2");
        assertThat(column(operator.get("/v1/ops/keys?user=" + user + "&prefix=k2"), "key"))
                .containsExactly("k2");
        assertThat(column(operator.get("/v1/ops/keys?user=" + user + "&status=completed"), "key"))
                .hasSize(2);
        assertThat(column(operator.get("/v1/ops/keys?user=" + user + "&status=unknown"), "key"))
                .isEmpty();
        assertThat(column(operator.get("/v1/ops/keys?user=" + user + "&endpoint=POST%20/other"), "key"))
                .isEmpty();
        assertThat(column(operator.get("/v1/ops/keys?user=" + user + "&clientTxId=tx-2"), "key"))
                .containsExactly("k2");
        assertThat(column(operator.get("/v1/ops/keys?user=" + user + "&before=2026-01-01T00:00:00Z"), "key"))
                .isEmpty();

        assertThat(column(operator.get("/v1/ops/keys?user=" + user), "status")).containsOnly("completed");

        Reply found = operator.get(path("k1") + ENDPOINT);
        assertThat(found.text("user")).isEqualTo(user);
        assertThat(found.text("status")).isEqualTo("completed");
        assertThat(found.text("responseStatus")).isEqualTo("201");
        assertThat(found.text()).doesNotContain("hello");
        assertProblem(operator.get(path("k3") + ENDPOINT), 404, "not_found");
        assertInvalid(operator.get(path("k1")), "endpoint");
    }

    @Test
    void wrongQueries_areRefused() {
        assertInvalid(operator.get("/v1/ops/keys?status=gone"), "status");
        assertInvalid(operator.get("/v1/ops/keys?clientTxId=tx"), "user");
        assertInvalid(operator.get("/v1/ops/keys?before=yesterday"), "before");
        assertInvalid(operator.get("/v1/ops/keys?after=%21"), "after");
        assertInvalid(operator.get("/v1/ops/keys?after=bm9uc2Vuc2U"), "after");
        String place = "a\0b\n2026-01-01T00:00:00Z\n00000000-0000-0000-0000-000000000000";
        String forged = Base64.getUrlEncoder().withoutPadding().encodeToString(place.getBytes(UTF_8));
        assertInvalid(operator.get("/v1/ops/keys?after=" + forged), "after");
        assertInvalid(operator.get("/v1/ops/keys?limit=0"), "limit");
    }

    @Test
    void expiredKey_isNew_andWhoDidItIsOnRecord() {
        Reply first = post(as(user), "k", "tx");
        Reply expired = operator.post(path("k") + "/expire" + ENDPOINT, WHY);
        assertThat(expired.text("status")).isEqualTo("expired");
        JsonNode entry = latest();
        assertThat(entry.get("operator").asString()).isEqualTo("olga");
        assertThat(entry.get("action").asString()).isEqualTo("expire");
        assertThat(entry.get("reason").asString()).isEqualTo("the customer called");
        assertThat(entry.get("user").asString()).isEqualTo(user);
        assertThat(entry.get("key").asString()).isEqualTo("k");
        assertThat(entry.get("before").asString()).isEqualTo("completed");
        assertThat(as(user).get("/v1/idempotency/k" + ENDPOINT).text("status")).isEqualTo("expired");

        operator.post("/v1/ops/sweeps", "");
        assertThat(as(user).get("/v1/idempotency/k" + ENDPOINT).text("status")).isEqualTo("expired");
        assertThat(column(as(user).get("/v1/idempotency?clientTxId=tx"), "status"))
                .containsExactly("expired");

        Reply again = post(as(user), "k", "tx");
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.text("id")).isNotEqualTo(first.text("id"));
        assertReplayed(again, post(as(user), "k", "tx"));
    }

    @Test
    void whatCannotBeDone_isRefused_andNotOnRecord() {
        post(as(user), "k", "tx");
        operator.post(path("k") + "/expire" + ENDPOINT, "{\"reason\":\"mark " + user + "\"}");
        for (String action : List.of("release", "expire", "complete")) {
            Reply refused = operator.post(path("k") + "/" + action + ENDPOINT, WHY);
            assertProblem(refused, 409, "wrong_state");
            assertThat(refused.text("state")).isNotEmpty();
            assertInvalid(operator.post(path("k") + "/" + action + ENDPOINT, "{}"), "reason");
            assertInvalid(operator.post(path("k") + "/" + action + ENDPOINT, "{\"reason\":\" \"}"), "reason");
            assertProblem(operator.post(path("nothing") + "/" + action + ENDPOINT, WHY), 404, "not_found");
        }
        assertThat(latest().get("reason").asString()).isEqualTo("mark " + user);
    }

    @Test
    void erasedUser_hasNoKeys() {
        post(as(user), "k", "tx");
        as(user).post("/v1/collections/notes/records", "{\"a\":1}");
        assertInvalid(operator.delete("/v1/ops/users/" + user + "?reason="), "reason");
        assertInvalid(operator.send("DELETE", "/v1/ops/users/" + user, "{}"), "reason");
        Reply erased = operator.send("DELETE", "/v1/ops/users/" + user, WHY);
        assertThat(erased.status()).isEqualTo(200);
        assertThat(erased.json().get("erased").get("idempotency_keys").asInt()).isEqualTo(1);
        assertThat(latest().get("action").asString()).isEqualTo("erase");
        assertProblem(as(user).get("/v1/idempotency/k" + ENDPOINT), 404, "not_found");
        assertProblem(as(user).get("/v1/idempotency?clientTxId=tx"), 404, "not_found");
        assertThat(column(as(user).get("/v1/collections/notes/records"), "id")).hasSize(1);

        erased = operator.send("DELETE", "/v1/ops/users/" + user + "?records=true&reason=asked", "{}");
        assertThat(erased.json().get("erased").get("documents").asInt()).isEqualTo(1);
        assertThat(column(as(user).get("/v1/collections/notes/records"), "id")).isEmpty();
        assertThat(operator.delete("/v1/ops/users/" + user).status()).isEqualTo(200);
        assertThat(latest().get("reason").asString()).isEqualTo("none given");
        assertInvalid(operator.delete("/v1/ops/users/a%20b?reason=x"), "user");
        assertInvalid(operator.delete("/v1/ops/users/semel-operators?reason=x&records=true"), "user");
        assertInvalid(operator.delete("/v1/ops/users/" + user + "?reason=x&records=TRUE"), "records");
    }

    @Test
    void sweeps_areListed() {
        Reply swept = operator.post("/v1/ops/sweeps", "");
        assertThat(swept.status()).isEqualTo(200);
        assertThat(column(swept, "table")).contains("idempotency_keys", "documents");
        assertThat(column(operator.get("/v1/ops/sweeps"), "table")).contains("idempotency_keys", "documents");
        assertThat(operator.get("/v1/ops/sweeps?limit=1").json().get("items").size())
                .isEqualTo(1);
    }

    @Test
    void ownTransactions_areFound_andOthersAreNot() {
        post(as(user), "k", "tx");
        Reply own = as(user).get("/v1/idempotency?clientTxId=tx");
        assertThat(column(own, "key")).containsExactly("k");
        assertThat(column(own, "status")).containsExactly("completed");
        assertProblem(as("somebody").get("/v1/idempotency?clientTxId=tx"), 404, "not_found");
        assertInvalid(as(user).get("/v1/idempotency"), "clientTxId");
        assertInvalid(as(user).get("/v1/idempotency?clientTxId=a%20b"), "clientTxId");
    }
}
