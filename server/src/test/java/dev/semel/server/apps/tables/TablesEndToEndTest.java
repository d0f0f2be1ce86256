package dev.semel.server.apps.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.AppDriver;
import dev.semel.server.EndToEnd;
import dev.semel.server.ServerFixture.Reply;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TablesEndToEndTest extends EndToEnd {

    /** Exceeds the range of doubles. */
    private static final String HUGE =
            "1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                    + "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                    + "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                    + "00000000000000000000";

    private static final String V4 = "550e8400-e29b-41d4-a716-446655440000";

    TablesEndToEndTest(On on) {
        super(on);
    }

    private static String open() {
        Reply made = as("ann").post("/v1/tables", "");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().propertyNames()).containsExactly("tableId");
        return made.text("tableId");
    }

    private static String uuid() {
        return UUID.randomUUID().toString();
    }

    private static Reply act(String user, String table, String members) {
        return as(user).post(
                        "/v1/tables/" + table + "/actions",
                        "{\"type\":\"action\",\"action\":\"raise\"," + members + "}");
    }

    @Test
    void table_showsWhatHappenedAtIt() {
        String table = open();
        assertThat(table).matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
        Reply session = as("ann").post("/v1/tables/" + table + "/sessions", "");
        assertThat(session.json().propertyNames()).containsExactly("sid", "expiresAt");
        assertThat(Instant.parse(session.text("expiresAt")))
                .isBetween(Instant.now().plusSeconds(540), Instant.now().plusSeconds(660));
        Reply hand = as("ann").post("/v1/tables/" + table + "/hands", "{}");
        assertThat(hand.json().propertyNames()).containsExactly("handId");

        String id = uuid();
        Reply result = act("ann", table, "\"clientMsgId\":\"" + id + "\",\"amount\":100");
        assertThat(result.status()).isEqualTo(200);
        assertThat(result.json().propertyNames())
                .startsWith("type", "clientMsgId", "ok")
                .endsWith("duplicate");
        assertThat(result.text("type") + result.text("clientMsgId") + result.text("ok") + result.text("duplicate"))
                .isEqualTo("action_result" + id + "truefalse");
        as("bob").post("/v1/settlements", "{\"tableId\":\"" + table + "\",\"handId\":\"" + hand.text("handId") + "\"}");

        Reply shown = as("bob").get("/v1/tables/" + table.toUpperCase(Locale.ROOT));
        assertThat(shown.text("tableId")).isEqualTo(table);
        assertThat(shown.text("hands") + " " + shown.text("actions") + " " + shown.text("pot") + " "
                        + shown.text("settlements"))
                .isEqualTo("1 1 100 1");
    }

    @Test
    void repeatedAction_getsTheFirstResult() {
        String table = open();
        String message = "\"clientMsgId\":\"" + uuid() + "\",\"amount\":100";
        Reply first = act("ann", table, message);
        act("ann", table, "\"clientMsgId\":\"" + uuid() + "\",\"amount\":7");
        Reply again = act("ann", table, message);
        assertThat(again.text()).isEqualTo(first.text().replace("\"duplicate\":false", "\"duplicate\":true"));
        Reply other = act("ann", table, message.replace("\"amount\":100", "\"amount\":200"));
        assertProblem(other, 422, "payload_mismatch");
        assertThat(as("ann").get("/v1/tables/" + table).text("pot")).isEqualTo("107");
        assertThat(act("bob", table, message).text("duplicate")).isEqualTo("false");
        assertThat(act("ann", open(), message).text("duplicate")).isEqualTo("false");
    }

    @Test
    void copiesOfAnActionAtOnce_areAppliedOnce() throws Exception {
        String table = open();
        String message = "\"clientMsgId\":\"" + uuid() + "\",\"amount\":100";
        List<String> duplicates =
                AppDriver.race(16, thread -> act("ann", table, message).text("duplicate"));
        assertThat(duplicates).containsOnlyOnce("false").contains("true");
        assertThat(as("ann").get("/v1/tables/" + table).text("actions")).isEqualTo("1");
    }

    @Test
    void numberedActions_areTakenInOrder() {
        String table = open();
        String sid = as("ann").post("/v1/tables/" + table + "/sessions", "").text("sid");
        assertThat(numbered(table, sid, 1).text("duplicate")).isEqualTo("false");
        Reply gap = numbered(table, sid, 3);
        assertProblem(gap, 409, "out_of_order");
        String early = "\"clientMsgId\":\"" + uuid() + "\",\"sid\":\"" + sid + "\",\"seq\":";
        assertProblem(act("ann", table, early + 9), 409, "out_of_order");
        assertProblem(act("ann", table, early + 8), 409, "out_of_order");
        assertThat(numbered(table, "session-" + sid, 2).text("duplicate")).isEqualTo("false");
        assertThat(numbered(table, "SESSION-" + sid.toUpperCase(Locale.ROOT), 1).text("duplicate"))
                .isEqualTo("true");
        assertThat(as("ann").get("/v1/tables/" + table).text("actions")).isEqualTo("2");
        assertProblem(numbered(table, uuid(), 1), 404, "not_found");
        assertProblem(numbered(open(), sid, 3), 404, "not_found");
    }

    private static Reply numbered(String table, String sid, int seq) {
        return act("ann", table, "\"clientMsgId\":\"%s\",\"sid\":\"%s\",\"seq\":%d".formatted(uuid(), sid, seq));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"action\":\"fold\"}|clientMsgId",
                "{\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"bet\",\"amount\":" + HUGE
                        + "}|amount",
                "{\"action\":\"fold\",\"clientMsgId\":7}|clientMsgId",
                "{\"action\":\"fold\",\"clientMsgId\":\"789e0123-e45b-67c8-d901-234567890abc\"}|clientMsgId",
                "{\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\"}|action",
                "{\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":7}|action",
                "{\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"a b\"}|action",
                "{\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"raise\",\"amount\":-1}|amount",
                "{\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"raise\",\"amount\":1.5}|amount",
                "{\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"raise\",\"amount\":\"1\"}|amount",
                "{\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"raise\",\"amount\":1e30}|amount",
                "{\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"fold\",\"seq\":1}|sid",
                "{\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"fold\",\"sid\":\"x\",\"seq\":1}|sid",
                "{\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"fold\",\"sid\":\"550e8400-e29b-41d4-a716-446655440000\",\"seq\":0}|seq",
                "{\"type\":\"chat\",\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"fold\"}|type"
            })
    void malformedAction_isRejectedByField(String body, String field) {
        assertInvalid(as("ann").post("/v1/tables/" + open() + "/actions", body), field);
    }

    @Test
    void missingTable_isNotFound() {
        for (String path : List.of("/sessions", "/hands")) {
            assertProblem(as("ann").post("/v1/tables/" + V4 + path, ""), 404, "not_found");
            assertInvalid(as("ann").post("/v1/tables/nonsense" + path, ""), "tableId");
        }
        assertProblem(act("ann", V4, "\"clientMsgId\":\"" + uuid() + "\""), 404, "not_found");
        assertInvalid(act("ann", "nonsense", "\"clientMsgId\":\"" + uuid() + "\""), "tableId");
        assertProblem(as("ann").get("/v1/tables/" + V4), 404, "not_found");
        assertInvalid(as("ann").get("/v1/tables/123e4567-e89b-12d3-a456-426614174000"), "tableId");
    }

    @Test
    void settlement_isProcessedOnce() {
        String table = uuid();
        String hand = uuid();
        String body = "{\"tableId\":\"%s\",\"handId\":\"%s\",\"tournamentId\":\"tournament-1\",\"pot\":10}"
                .formatted(table, hand);
        Reply first = as("ann").post("/v1/settlements", body);
        assertThat(first.status()).isEqualTo(200);
        assertThat(first.text()).isEqualTo("{\"ok\":true,\"duplicate\":false}");
        String spelled =
                "{\"settlementId\":\"%s:%s\",\"handId\":\"%s\",\"tableId\":\"%s\",\"pot\":1e1,\"tournamentId\":\"tournament-1\"}"
                        .formatted(table.toUpperCase(Locale.ROOT), hand, hand.toUpperCase(Locale.ROOT), table);
        for (String again : List.of(body, spelled)) {
            assertThat(as("bob").post("/v1/settlements", again).text()).isEqualTo("{\"ok\":true,\"duplicate\":true}");
        }
        Reply shown = as("bob").get("/v1/settlements/" + table + ":" + hand);
        assertThat(shown.json().get("mismatches").asInt()).isZero();

        assertThat(as("bob").post("/v1/settlements", body.replace("10}", "11}")).text())
                .isEqualTo("{\"ok\":true,\"duplicate\":true}");
        shown = as("bob").get("/v1/settlements/" + table.toUpperCase(Locale.ROOT) + ":" + hand);
        assertThat(shown.json().get("mismatches").asInt()).isEqualTo(1);
        assertThat(shown.text("settlementId")).isEqualTo(table + ":" + hand);
        assertThat(shown.text("tableId") + shown.text("handId") + shown.text("tournamentId"))
                .isEqualTo(table + hand + "tournament-1");
        assertThat(shown.json().at("/payload/pot").asInt()).isEqualTo(10);
    }

    @Test
    void settlementsAtOnce_areProcessedOnce() throws Exception {
        String table = open();
        String hand = as("ann").post("/v1/tables/" + table + "/hands", "").text("handId");
        String body = "{\"tableId\":\"" + table + "\",\"handId\":\"" + hand + "\"}";
        assertThat(AppDriver.race(
                        16, thread -> as("ann").post("/v1/settlements", body).text("duplicate")))
                .containsOnlyOnce("false");
        assertThat(as("ann").get("/v1/tables/" + table).text("settlements")).isEqualTo("1");
    }

    @Test
    void malformedSettlement_isRejectedByField() {
        String other = uuid();
        String fine = "\"tableId\":\"" + V4 + "\",\"handId\":\"" + other + "\"";
        assertInvalid(settle("{\"handId\":\"" + V4 + "\"}"), "tableId");
        assertInvalid(settle("{\"tableId\":\"" + V4 + "\"}"), "handId");
        assertInvalid(settle("{\"tableId\":7,\"handId\":\"" + V4 + "\"}"), "tableId");
        assertInvalid(
                settle("{\"tableId\":\"" + V4 + "\",\"handId\":\"123e4567-e89b-12d3-a456-426614174000\"}"), "handId");
        assertInvalid(settle("{" + fine + ",\"settlementId\":\"" + other + ":" + V4 + "\"}"), "settlementId");
        assertInvalid(settle("{" + fine + ",\"settlementId\":\"x\"}"), "settlementId");
        assertInvalid(settle("{" + fine + ",\"tournamentId\":\"a b\"}"), "tournamentId");
        assertInvalid(as("ann").get("/v1/settlements/x"), "settlementId");
        assertProblem(as("ann").get("/v1/settlements/" + V4 + ":" + other), 404, "not_found");
    }

    private static Reply settle(String body) {
        return as("ann").post("/v1/settlements", body);
    }

    private static Reply settle(String table, String hand) {
        return settle("{\"tableId\":\"" + table + "\",\"handId\":\"" + hand + "\"}");
    }

    private static String deal(String table) {
        return as("ann").post("/v1/tables/" + table + "/hands", "").text("handId");
    }

    @Test
    void handOfAnotherTable_isRejected() {
        String hand = deal(open());
        assertInvalid(settle(open(), hand), "handId");
    }

    /** Actions must not use up the user's quota of keys. */
    @Test
    void actions_areNotKeysOfTheirUser() {
        String table = open();
        String user = "player-" + uuid();
        assertThat(act(user, table, "\"clientMsgId\":\"" + uuid() + "\"").status())
                .isEqualTo(200);
        assertThat(column(asOperator("olga").get("/v1/ops/keys?user=" + user), "key"))
                .isEmpty();
    }

    @Test
    void erasedUser_isNotRememberedByActions() {
        String table = open();
        String user = "player-" + uuid();
        String message = "\"clientMsgId\":\"" + uuid() + "\"";
        act(user, table, message);
        assertThat(act(user, table, message).text("duplicate")).isEqualTo("true");
        Reply erased = asOperator("olga").delete("/v1/ops/users/" + user + "?reason=asked");
        assertThat(erased.json().get("erased").get("idempotency_keys").asInt()).isEqualTo(1);
        assertThat(act(user, table, message).text("duplicate")).isEqualTo("false");
    }

    /** The route of id schemes has the same form. */
    @Test
    void kindsOfIds_areTheRegistry() {
        Reply kinds = as("ann").get("/v1/ids/kinds");
        assertThat(column(kinds, "kind"))
                .containsExactly(
                        "tableId", "handId", "tournamentId", "userId", "sessionId", "settlementId", "clientMsgId");
        assertThat(column(kinds, "scheme")).startsWith("uuid4", "uuid4", "uuid4 or text");
        assertThat(column(kinds, "mintedBy")).startsWith("platform", "game server");
        assertThat(column(kinds, "lifetime")).endsWith("permanent", "60 seconds");
        assertThat(as("ann").get("/v1/ids/tid62").json().get("ids")).hasSize(1);
        assertInvalid(as("ann").get("/v1/ids/kind"), "scheme");
    }

    @Test
    void withoutToken_everyRouteIsRejected() {
        assertThat(asNobody().post("/v1/tables", "").status()).isEqualTo(401);
        assertThat(asNobody().post("/v1/settlements", "{}").status()).isEqualTo(401);
        assertThat(asNobody().get("/v1/tables/" + V4).status()).isEqualTo(401);
    }

    @Test
    void retryWithTheKey_opensOneTable() {
        assertReplayed(
                as("ann").post("/v1/tables", "", "Idempotency-Key", "k"),
                as("ann").post("/v1/tables", "", "Idempotency-Key", "k"));
    }
}
