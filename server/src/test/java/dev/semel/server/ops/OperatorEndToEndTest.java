package dev.semel.server.ops;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.semel.id.IdSchemes;
import dev.semel.server.EndToEnd;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
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
    void keys_areListedAndFound_withoutTheirResponses() {
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
        post(as(user), "k3", "tx-of-" + user);
        assertThat(column(operator.get("/v1/ops/keys?clientTxId=tx-of-" + user), "user"))
                .containsExactly(user);
        assertThat(column(operator.get("/v1/ops/keys?user=" + user + "&before=2026-01-01T00:00:00Z"), "key"))
                .isEmpty();

        assertThat(column(operator.get("/v1/ops/keys?user=" + user), "status")).containsOnly("completed");

        Reply found = operator.get(path("k1") + ENDPOINT);
        assertThat(found.text("user")).isEqualTo(user);
        assertThat(found.text("status")).isEqualTo("completed");
        assertThat(found.text("responseStatus")).isEqualTo("201");
        assertThat(found.text("outcome")).isEqualTo("201");
        assertThat(found.text("responseBytes"))
                .isEqualTo(
                        String.valueOf(post(as(user), "k1", "tx-1").response().body().length));
        assertThat(found.text()).doesNotContain("hello");
        assertProblem(operator.get(path("k4") + ENDPOINT), 404, "not_found");
        assertInvalid(operator.get(path("k1")), "endpoint");
    }

    @Test
    void wrongQueries_areRejected() {
        assertInvalid(operator.get("/v1/ops/keys?status=gone"), "status");
        assertInvalid(operator.get("/v1/ops/keys?before=yesterday"), "before");
        assertInvalid(operator.get("/v1/ops/keys?after=%21"), "after");
        assertInvalid(operator.get("/v1/ops/keys?after=bm9uc2Vuc2U"), "after");
        String rest = "\n2026-01-01T00:00:00Z\n00000000-0000-0000-0000-000000000000";
        for (String place : List.of("a\0b\nPOST /\nkey", "a\0b\nkey" + rest, "ann\na\0b" + rest)) {
            String forged = Base64.getUrlEncoder().withoutPadding().encodeToString(place.getBytes(UTF_8));
            assertInvalid(operator.get("/v1/ops/keys?after=" + forged), "after");
        }
        assertInvalid(operator.get("/v1/ops/keys?limit=0"), "limit");
    }

    @Test
    void expiredKey_isNew_andTheOperatorIsAudited() {
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
        assertThat(as(user).get("/v1/idempotency/k" + ENDPOINT).text("outcome")).isEqualTo("201");
        assertThat(operator.get(path("k") + ENDPOINT).text("outcome")).isEqualTo("201");
        assertThat(column(as(user).get("/v1/idempotency?clientTxId=tx"), "status"))
                .containsExactly("expired");

        Reply again = post(as(user), "k", "tx");
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.text("id")).isNotEqualTo(first.text("id"));
        assertReplayed(again, post(as(user), "k", "tx"));
    }

    @Test
    void impossibleAction_isRejected_andNotAudited() {
        post(as(user), "k", "tx");
        operator.post(path("k") + "/expire" + ENDPOINT, "{\"reason\":\"mark " + user + "\"}");
        for (String action : List.of("release", "expire", "complete")) {
            Reply refused = operator.post(path("k") + "/" + action + ENDPOINT, WHY);
            assertProblem(refused, 409, "wrong_state");
            assertThat(refused.text("state")).isNotEmpty();
            assertInvalid(operator.post(path("k") + "/" + action + ENDPOINT, "{}"), "reason");
            for (String nothing : List.of(" ", "\\u00a0\\u2003", "\\u200b", "\\u0000", "a\\u0000", "...")) {
                String reason = "{\"reason\":\"" + nothing + "\"}";
                assertInvalid(operator.post(path("k") + "/" + action + ENDPOINT, reason), "reason");
            }
            assertProblem(operator.post(path("nothing") + "/" + action + ENDPOINT, WHY), 404, "not_found");
        }
        assertThat(latest().get("reason").asString()).isEqualTo("mark " + user);
    }

    /** The states of a key, and the actions that each allows. */
    private enum Stands {
        LIVE("processing", "release"),
        ABANDONED("processing", "release complete"),
        TO_FREEZE("unknown", "release complete"),
        UNKNOWN("unknown", "release complete"),
        FAILED("failed", "complete expire"),
        COMPLETED("completed", "expire"),
        EXPIRED("expired", ""),
        FAILED_LONG_AGO("expired", ""),
        TOMBSTONE("expired", "");

        private final String told;
        private final String allowed;

        Stands(String told, String allowed) {
            this.told = told;
            this.allowed = allowed;
        }
    }

    private void leave(String key, Stands stands) {
        Duration soonOver = Duration.ofNanos(1000);
        switch (stands) {
            case LIVE -> leave(key, Status.PROCESSING);
            case ABANDONED -> leave(key, Status.PROCESSING, IfAbandoned.RERUN, soonOver);
            case TO_FREEZE -> leave(key, Status.PROCESSING, IfAbandoned.FREEZE, soonOver);
            case UNKNOWN -> leave(key, Status.UNKNOWN);
            case FAILED -> leave(key, Status.FAILED);
            case COMPLETED -> post(as(user), key, "tx");
            case FAILED_LONG_AGO -> leave(key, Status.FAILED, IfAbandoned.RERUN, soonOver);
            case EXPIRED, TOMBSTONE -> {
                post(as(user), key, "tx");
                operator.post(path(key) + "/expire" + ENDPOINT, WHY);
            }
        }
        if (stands == Stands.TOMBSTONE) {
            operator.post("/v1/ops/sweeps", "");
        }
    }

    @Test
    void everyAction_appliesToKeysInItsStates_andToNoOthers() {
        String made = post(as(user), "made", "tx").text();
        String decision = "{\"reason\":\"the customer called\",\"status\":201,\"body\":" + made + "}";
        for (Stands stands : Stands.values()) {
            for (String action : List.of("release", "complete", "expire")) {
                String key = stands + "-" + action;
                leave(key, stands);
                Reply before = operator.get(path(key) + ENDPOINT);
                assertThat(before.text("status")).as(key).isEqualTo(stands.told);
                Reply reply = operator.post(path(key) + "/" + action + ENDPOINT, decision);
                if (stands.allowed.contains(action)) {
                    assertThat(reply.status()).as(key).isEqualTo(200);
                    assertOnRecord(action, key, stands.told);
                    String left = switch (action) {
                        case "release" -> "failed";
                        case "complete" -> "completed";
                        default -> "expired";
                    };
                    assertThat(operator.get(path(key) + ENDPOINT).text("status"))
                            .as(key)
                            .isEqualTo(left);
                } else {
                    assertProblem(reply, 409, "wrong_state");
                    assertThat(reply.text("state")).as(key).isEqualTo(stands.told);
                    Reply after = operator.get(path(key) + ENDPOINT);
                    assertThat(after.text("status") + after.text("fencingToken"))
                            .isEqualTo(before.text("status") + before.text("fencingToken"));
                }
                if (!stands.told.equals("unknown")
                        || stands.allowed.contains(action)) { // this route does not freeze abandoned operations
                    assertRetry(stands, action, post(as(user), key, "tx"), made);
                }
            }
        }
    }

    /** A retry gets the operator's response, 409 because the key is in progress, or it runs. */
    private static void assertRetry(Stands stands, String action, Reply retry, String made) {
        boolean done = stands.allowed.contains(action);
        String as = stands + "-" + action;
        if (stands == Stands.LIVE && !done) {
            assertThat(retry.status()).as(as).isEqualTo(409);
            return;
        }
        assertThat(retry.status()).as(as).isEqualTo(201);
        boolean replayed = stands == Stands.COMPLETED ? !done : done && action.equals("complete");
        assertThat(retry.header("Idempotency-Replayed")).as(as).isEqualTo(replayed ? "true" : "");
        assertThat(retry.text().equals(made)).as(as).isEqualTo(done && action.equals("complete"));
    }

    @Test
    void completionWithoutContent_isReplayed() {
        String other = IdSchemes.TID62.mint();
        String record = "/v1/collections/notes/records/" + other;
        as(other).send("PUT", record, "{}", "If-None-Match", "*");
        assertThat(as(other).delete(record, "Idempotency-Key", "k").status()).isEqualTo(204);
        leaveLike(new IdempotencyKey(other, "DELETE " + record, "k"), Status.UNKNOWN, IfAbandoned.FREEZE, null);
        String complete = path("k") + "/complete?endpoint=DELETE%20" + record;
        assertInvalid(operator.post(complete, "{\"reason\":\"x\",\"status\":204,\"body\":{}}"), "body");
        for (String noProblem : List.of("", ",\"body\":null", ",\"body\":\"no\"")) {
            assertInvalid(operator.post(complete, "{\"reason\":\"x\",\"status\":404" + noProblem + "}"), "body");
        }
        for (int status : List.of(199, 205, 302, 401, 409, 412, 429, 500)) {
            assertInvalid(operator.post(complete, "{\"reason\":\"x\",\"status\":" + status + "}"), "status");
        }
        assertThat(operator.post(complete, "{\"reason\":\"one\\n\\ttwo\",\"status\":204,\"body\":null}")
                        .status())
                .isEqualTo(200);
        Reply retry = as(user).delete(record, "Idempotency-Key", "k");
        assertThat(retry.status()).isEqualTo(204);
        assertThat(retry.text()).isEmpty();
        assertThat(retry.header("Idempotency-Replayed")).isEqualTo("true");
    }

    @Test
    void audit_cannotBeChangedOverHttp() {
        post(as(user), "k", "tx");
        operator.post(path("k") + "/expire" + ENDPOINT, "{\"reason\":\"stays " + user + "\"}");
        JsonNode entry = latest();
        for (String path : List.of("/v1/ops/audit", "/v1/ops/audit/1", "/v1/collections/audit/records/1")) {
            for (String method : List.of("PUT", "PATCH", "DELETE")) {
                assertThat(operator.send(method, path, WHY).status()).isBetween(400, 499);
            }
        }
        assertThat(operator.post("/v1/ops/audit", WHY).status()).isEqualTo(405);
        assertThat(operator.delete("/v1/ops/users/olga?records=true&reason=x").status())
                .isEqualTo(200);
        operator.post("/v1/ops/sweeps", "");
        List<String> reasons = allPages(operator, "/v1/ops/audit", 1000, "reason");
        assertThat(reasons).contains(entry.get("reason").asString()).hasSizeGreaterThan(1);
    }

    /** Stores a key of the user in a given state, for the request that the test sends. */
    private void leave(String key, Status status) {
        leave(key, status, IfAbandoned.FREEZE, status == Status.UNKNOWN ? null : Duration.ofHours(1));
    }

    /** @param ttl how long the record or the lease lasts; null for no expiry */
    private void leave(String key, Status status, IfAbandoned ifAbandoned, @Nullable Duration ttl) {
        String other = IdSchemes.TID62.mint();
        post(as(other), key, "tx");
        leaveLike(new IdempotencyKey(other, "POST /v1/feed/posts", key), status, ifAbandoned, ttl);
    }

    /** Stores a key in a given state for the request of another user. */
    private void leaveLike(IdempotencyKey theirs, Status status, IfAbandoned ifAbandoned, @Nullable Duration ttl) {
        IdempotencyRecord done = Objects.requireNonNull(store().find(theirs).record());
        IdempotencyRecord record = new IdempotencyRecord(
                new IdempotencyKey(user, theirs.endpoint(), theirs.key()),
                "tx",
                done.fingerprint(),
                status,
                ifAbandoned,
                1,
                "",
                0,
                done.createdAt(),
                null,
                null,
                null,
                null,
                null);
        IdempotencyWrite write =
                new IdempotencyWrite(Precondition.ABSENT, record, ttl, Duration.ofHours(1), Quota.NONE);
        assertThat(store().commit(Commit.of(IdSchemes.TID62.mint(), write))).isInstanceOf(CommitResult.Applied.class);
    }

    private void assertOnRecord(String action, String key, String before) {
        JsonNode entry = latest();
        assertThat(entry.get("operator").asString()).isEqualTo("olga");
        assertThat(Instant.parse(entry.get("at").asString())).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
        assertThat(entry.get("action").asString()).isEqualTo(action);
        assertThat(entry.get("reason").asString()).isEqualTo("the customer called");
        assertThat(entry.get("user").asString()).isEqualTo(user);
        assertThat(entry.get("endpoint").asString()).isEqualTo("POST /v1/feed/posts");
        assertThat(entry.get("key").asString()).isEqualTo(key);
        assertThat(entry.get("before").asString()).isEqualTo(before);
    }

    @Test
    void failedOrUnknownKeyThatIsCompleted_replaysTheOperatorsResponse() {
        String made = post(as(user), "made", "tx").text().replace("\"hello\"", " \"gr\\u00fcß dich\"");
        for (Status status : List.of(Status.FAILED, Status.UNKNOWN)) {
            String before = status.name().toLowerCase(Locale.ROOT);
            leave(before, status);
            String said = "{\"reason\":\"the customer called\",\"status\":201,\"body\":" + made + "}";
            Reply completed = operator.post(path(before) + "/complete" + ENDPOINT, said);
            assertThat(completed.text("status")).isEqualTo("completed");
            assertOnRecord("complete", before, before);

            for (int i = 0; i < 2; i++) {
                Reply retry = post(as(user), before, "tx");
                assertThat(retry.status()).isEqualTo(201);
                assertThat(retry.text()).isEqualTo(made);
                assertThat(retry.header("Content-Type")).isEqualTo("application/json");
                assertThat(retry.header("Idempotency-Replayed")).isEqualTo("true");
            }
            assertThat(as(user).get("/v1/idempotency/" + before + ENDPOINT).text("status"))
                    .isEqualTo("completed");
            assertProblem(operator.post(path(before) + "/complete" + ENDPOINT, said), 409, "wrong_state");
        }
    }

    @Test
    void keyThatIsReleased_runsAgain() {
        for (Status status : List.of(Status.PROCESSING, Status.UNKNOWN)) {
            String before = status.name().toLowerCase(Locale.ROOT);
            leave(before, status);
            assertThat(as(user).get("/v1/idempotency/" + before + ENDPOINT).text("status"))
                    .isEqualTo(before);
            Reply released = operator.post(path(before) + "/release" + ENDPOINT, WHY);
            assertThat(released.text("status")).isEqualTo("failed");
            assertOnRecord("release", before, before);

            Reply again = post(as(user), before, "tx");
            assertThat(again.status()).isEqualTo(201);
            assertThat(as(user).get("/v1/feed/posts/" + again.text("id")).status())
                    .isEqualTo(200);
            assertThat(operator.get(path(before) + ENDPOINT).text("attempts")).isEqualTo("2");
            assertReplayed(again, post(as(user), before, "tx"));
        }
    }

    @Test
    void erasedUser_hasNoKeys() {
        post(as(user), "k", "tx");
        as(user).post("/v1/collections/notes/records", "{\"a\":1}");
        assertInvalid(operator.delete("/v1/ops/users/" + user + "?reason="), "reason");
        assertInvalid(operator.delete("/v1/ops/users/" + user + "?reason=%C2%A0"), "reason");
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
        assertInvalid(operator.delete("/v1/ops/user?user=..&reason=x"), "user");
        assertInvalid(operator.delete("/v1/ops/users/semel--operators?reason=x&records=true"), "user");
        assertInvalid(operator.delete("/v1/ops/users/" + user + "?reason=x&records=TRUE"), "records");
    }

    @Test
    void sweeps_areListed() {
        Reply swept = operator.post("/v1/ops/sweeps", "");
        assertThat(swept.status()).isEqualTo(200);
        assertThat(column(swept, "table")).contains("idempotency_keys", "documents");
        assertThat(column(operator.get("/v1/ops/sweeps"), "table")).contains("idempotency_keys", "documents");
        assertThat(allPages(operator, "/v1/ops/sweeps", 3, "table"))
                .isEqualTo(column(operator.get("/v1/ops/sweeps?limit=1000"), "table"));
        for (String after : List.of("x", "!", "MjAyNg", "IA")) {
            assertInvalid(operator.get("/v1/ops/sweeps?after=" + after), "after");
        }
        assertThat(operator.get("/v1/ops/sweeps?limit=1").json().get("items").size())
                .isEqualTo(1);
    }

    @Test
    void clientTransactionsOfAUser_areFound_andOthersAreNot() {
        post(as(user), "k", "tx");
        Reply own = as(user).get("/v1/idempotency?clientTxId=tx");
        assertThat(column(own, "key")).containsExactly("k");
        assertThat(column(own, "status")).containsExactly("completed");
        assertProblem(as("stranger").get("/v1/idempotency?clientTxId=tx"), 404, "not_found");
        post(as(user), "k2", "tx");
        post(as(user), "k3", "tx");
        assertThat(allPages(as(user), "/v1/idempotency?clientTxId=tx", 1, "key"))
                .containsExactlyInAnyOrder("k", "k2", "k3");
        assertInvalid(as(user).get("/v1/idempotency?clientTxId=tx&limit=0"), "limit");
        assertInvalid(as(user).get("/v1/idempotency?clientTxId=tx&after=zzz"), "after");
        assertInvalid(as(user).get("/v1/idempotency?clientTxId=a%20b"), "clientTxId");
        assertInvalid(as(user).get("/v1/idempotency?clientTxId="), "clientTxId");
    }

    @Test
    void ownKeys_areListed_byStatusToo_andThoseOfOthersAreNot() {
        assertThat(as(user).get("/v1/idempotency").text()).isEqualTo("{\"items\":[],\"next\":null}");
        for (String key : List.of("k1", "k2", "k3")) {
            post(as(user), key, "tx-" + key);
        }
        leave("failed", Status.FAILED);
        leave("unknown", Status.UNKNOWN);
        post(as(user + "-2"), "k1", "tx");

        assertThat(allPages(as(user), "/v1/idempotency", 2, "key"))
                .containsExactlyInAnyOrder("k1", "k2", "k3", "failed", "unknown");
        assertThat(allPages(as(user), "/v1/idempotency?status=completed", 1, "key"))
                .containsExactlyInAnyOrder("k1", "k2", "k3");
        assertThat(allPages(as(user), "/v1/idempotency?status=failed", 1, "key"))
                .containsExactly("failed");
        assertThat(allPages(as(user), "/v1/idempotency?status=unknown&limit=1", 1, "key"))
                .containsExactly("unknown");
        assertThat(column(as(user).get("/v1/idempotency?status=expired"), "key"))
                .isEmpty();
        assertThat(column(as(user).get("/v1/idempotency?status=completed&clientTxId=tx-k2"), "key"))
                .containsExactly("k2");
        assertThat(as(user).get("/v1/idempotency?limit=1")
                        .json()
                        .get("items")
                        .get(0)
                        .propertyNames())
                .doesNotContain("user", "fencingToken");
        assertInvalid(as(user).get("/v1/idempotency?status=done"), "status");
        assertInvalid(as(user).get("/v1/idempotency?limit=0"), "limit");
        assertInvalid(as(user).get("/v1/idempotency?after=zzz"), "after");
        assertThat(asNobody().get("/v1/idempotency").status()).isEqualTo(401);
    }

    /** Cursors are not secret: one of another user's list must not lead into it. */
    @Test
    void cursorOfAnotherUsersList_showsOwnKeysOnly() {
        for (String key : List.of("k1", "k2", "k3")) {
            post(as(user), key, "tx-" + key);
        }
        String next = as(user).get("/v1/idempotency?limit=1").text("next");
        Reply page = as("stranger").get("/v1/idempotency?after=" + next);
        assertThat(page.status() == 400 || column(page, "key").isEmpty()).isTrue();
    }
}
