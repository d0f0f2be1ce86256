package dev.semel.server.apps.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.AppDriver;
import dev.semel.server.EndToEnd;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.SocketClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tables and hands that were ended. {@link TablesTest} tests those that end by themselves. */
class EndsEndToEndTest extends EndToEnd {

    EndsEndToEndTest(On on) {
        super(on);
    }

    private static String uuid() {
        return UUID.randomUUID().toString();
    }

    private static String open() {
        return as("ann").post("/v1/tables", "").text("tableId");
    }

    private static String deal(String table) {
        return as("ann").post("/v1/tables/" + table + "/hands", "").text("handId");
    }

    private static Reply settle(String table, String hand, String more) {
        return as("bob")
                .post("/v1/settlements", "{\"tableId\":\"" + table + "\",\"handId\":\"" + hand + "\"" + more + "}");
    }

    private static String action(String clientMsgId) {
        return "{\"type\":\"action\",\"clientMsgId\":\"" + clientMsgId + "\",\"action\":\"raise\",\"amount\":1}";
    }

    private static void assertEnded(Reply reply, String what) {
        assertProblem(reply, 410, "ended");
        assertThat(reply.text("error")).isEqualTo("ended");
        assertThat(reply.text("detail")).isEqualTo("The " + what + " has ended");
    }

    @Test
    void endedTable_isGoneOnEveryRoute() throws Exception {
        String table = open();
        String path = "/v1/tables/" + table;
        String settled = deal(table);
        String dealt = deal(table);
        String action = action(uuid());
        assertThat(as("ann").post(path + "/actions", action).status()).isEqualTo(200);
        assertThat(settle(table, settled, "").text("duplicate")).isEqualTo("false");
        try (SocketClient socket =
                SocketClient.open(server().server().port(), path + "/actions", server().token("bob"))) {
            assertThat(socket.ask(action(uuid())).get("ok").asBoolean()).isTrue();
            Reply ended = as("ann").delete(path);
            assertThat(ended.status()).isEqualTo(200);
            assertThat(ended.text()).isEqualTo("{\"tableId\":\"" + table + "\",\"ended\":true}");
            JsonNode rejected = socket.ask(action(uuid()));
            assertThat(rejected.get("ok").asBoolean()).isFalse();
            assertThat(rejected.get("status").asInt() + rejected.get("code").asString())
                    .isEqualTo("410ended");
        }
        assertEnded(as("ann").get(path), "table");
        assertEnded(as("ann").delete(path), "table");
        assertEnded(as("ann").post(path + "/sessions", ""), "table");
        assertEnded(as("ann").post(path + "/hands", ""), "table");
        assertEnded(as("ann").delete(path + "/hands/" + dealt), "table");
        assertEnded(as("ann").post(path + "/actions", action(uuid())), "table");
        assertEnded(as("ann").post(path + "/actions", action), "table");
        try (SocketClient socket = SocketClient.ask(
                server().server().port(), path + "/actions", "Authorization", "Bearer " + server().token("ann"))) {
            assertThat(socket.answered()).startsWith("HTTP/1.1 410 ");
        }
        assertEnded(settle(table, dealt, ""), "table");
        assertEnded(settle(table, uuid(), ""), "table");
        assertThat(settle(table, settled, "").text()).isEqualTo("{\"ok\":true,\"duplicate\":true}");
        assertThat(settle(table, settled, ",\"pot\":1").text()).isEqualTo("{\"ok\":true,\"duplicate\":true}");
        Reply settlement = as("bob").get("/v1/settlements/" + table + ":" + settled);
        assertThat(settlement.text("mismatches")).isEqualTo("1");
    }

    @Test
    void endedTable_keepsItsKind() {
        String table = open();
        as("ann").delete("/v1/tables/" + table);
        assertProblem(settle(uuid(), table, ""), 409, "wrong_kind");
    }

    @Test
    void endedHand_cannotBeSettled() {
        String table = open();
        String path = "/v1/tables/" + table + "/hands/";
        String settled = deal(table);
        String hand = deal(table);
        assertThat(settle(table, settled, "").text("duplicate")).isEqualTo("false");
        for (String each : List.of(settled, hand)) {
            Reply ended = as("ann").delete(path + each);
            assertThat(ended.status()).isEqualTo(200);
            assertThat(ended.text()).isEqualTo("{\"handId\":\"" + each + "\",\"ended\":true}");
            assertEnded(as("ann").delete(path + each), "hand");
        }
        assertEnded(settle(table, hand, ""), "hand");
        assertThat(settle(table, settled, "").text()).isEqualTo("{\"ok\":true,\"duplicate\":true}");
        assertProblem(as("bob").get("/v1/settlements/" + table + ":" + hand), 404, "not_found");
        assertThat(as("ann").get("/v1/tables/" + table).text("settlements")).isEqualTo("1");
    }

    @Test
    void onlyTheCreatorAndOperators_mayEnd() {
        String table = open();
        String path = "/v1/tables/" + table;
        String hand = deal(table);
        assertProblem(as("bob").delete(path), 403, "not_creator");
        assertProblem(as("bob").delete(path + "/hands/" + hand), 403, "not_creator");
        assertThat(as("bob").get(path).status()).isEqualTo(200);
        assertThat(as("bob").get(path).text()).doesNotContain("ann");
        assertThat(asOperator("olga").delete(path + "/hands/" + hand).status()).isEqualTo(200);
        assertThat(asOperator("olga").delete(path).status()).isEqualTo(200);
        assertEnded(as("bob").delete(path), "table");
    }

    @Test
    void unknownOrMalformed_cannotBeEnded() {
        String path = "/v1/tables/" + open();
        assertProblem(as("ann").delete("/v1/tables/" + uuid()), 404, "not_found");
        assertInvalid(as("ann").delete("/v1/tables/nonsense"), "tableId");
        assertProblem(as("ann").delete(path + "/hands/" + uuid()), 404, "not_found");
        assertProblem(as("ann").delete(path + "/hands/" + deal(open())), 404, "not_found");
        assertInvalid(as("ann").delete(path + "/hands/nonsense"), "handId");
    }

    /** It is known from a settlement, and was not opened here. */
    @Test
    void tableOfAnotherPlatform_isNotFound() {
        String table = uuid();
        settle(table, uuid(), "");
        assertProblem(as("ann").get("/v1/tables/" + table), 404, "not_found");
        assertProblem(asOperator("olga").delete("/v1/tables/" + table), 404, "not_found");
        assertThat(settle(table, uuid(), "").text("duplicate")).isEqualTo("false");
    }

    @Test
    void retryWithTheKey_isReplayed() {
        String path = "/v1/tables/" + open();
        assertReplayed(as("ann").delete(path, "Idempotency-Key", "k"), as("ann").delete(path, "Idempotency-Key", "k"));
        assertEnded(as("ann").delete(path, "Idempotency-Key", "other"), "table");
    }

    /** Each action that was applied was applied before the end, so it saw all others that were. */
    @Test
    void endAmidActions_isAfterAllThatWereApplied() throws Exception {
        String path = "/v1/tables/" + open();
        AtomicInteger highest = new AtomicInteger();
        AtomicInteger applied = new AtomicInteger();
        AppDriver.race(6, thread -> {
            if (thread == 0) {
                while (applied.get() < 20) {
                    Thread.onSpinWait();
                }
                assertThat(as("ann").delete(path).status()).isEqualTo(200);
                assertEnded(as("ann").post(path + "/actions", action(uuid())), "table");
                return 0;
            }
            Reply reply = as("bob").post(path + "/actions", action(uuid()));
            while (reply.status() == 200) {
                applied.incrementAndGet();
                highest.accumulateAndGet(reply.json().get("actions").asInt(), Math::max);
                reply = as("bob").post(path + "/actions", action(uuid()));
            }
            assertEnded(reply, "table");
            return 0;
        });
        assertThat(highest).hasValue(applied.get());
        assertEnded(as("ann").get(path), "table");
    }

    @Test
    void table_showsWhenItEnds() {
        Reply shown = as("ann").get("/v1/tables/" + open());
        assertThat(Duration.between(Instant.parse(shown.text("createdAt")), Instant.parse(shown.text("endsAt"))))
                .isEqualTo(Duration.ofDays(1));
    }
}
