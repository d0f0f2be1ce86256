package dev.semel.server.apps.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.AppDriver;
import dev.semel.server.EndToEnd;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.SocketClient;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** An id that was used as one kind is rejected as another, on every route. */
class IdBindingsEndToEndTest extends EndToEnd {

    IdBindingsEndToEndTest(On on) {
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

    private static String enter(String table) {
        return as("ann").post("/v1/tables/" + table + "/sessions", "").text("sid");
    }

    private static Reply settle(String table, String hand) {
        return as("ann").post("/v1/settlements", "{\"tableId\":\"" + table + "\",\"handId\":\"" + hand + "\"}");
    }

    private static Reply settle(String table, String hand, String tournament) {
        return as("ann")
                .post(
                        "/v1/settlements",
                        "{\"tableId\":\"%s\",\"handId\":\"%s\",\"tournamentId\":\"%s\"}"
                                .formatted(table, hand, tournament));
    }

    private static Reply act(String table, String clientMsgId, String more) {
        return as("ann")
                .post(
                        "/v1/tables/" + table + "/actions",
                        "{\"action\":\"raise\",\"amount\":100,\"clientMsgId\":\"" + clientMsgId + "\"" + more + "}");
    }

    private static void assertWrongKind(Reply reply, String field, String boundTo, String usedAs) {
        assertProblem(reply, 409, "wrong_kind");
        assertThat(reply.text("error")).isEqualTo("wrong_kind");
        assertThat(reply.text("field")).isEqualTo(field);
        assertThat(reply.text("detail"))
                .isEqualTo(field + " is bound to the kind " + boundTo + " and cannot be used as " + usedAs);
    }

    private static void assertWrongKind(Reply reply, String field, String boundTo) {
        assertWrongKind(reply, field, boundTo, field);
    }

    private static void assertSettled(Reply reply) {
        assertThat(reply.text()).isEqualTo("{\"ok\":true,\"duplicate\":false}");
    }

    @Test
    void sameIdAsTableAndHand_isRejectedAlthoughItIsNew() {
        String id = uuid();
        assertWrongKind(settle(id, id), "handId", "tableId");
        assertWrongKind(settle(id, id.toUpperCase(Locale.ROOT)), "handId", "tableId");
        assertProblem(as("ann").get("/v1/settlements/" + id + ":" + id), 404, "not_found");
        assertSettled(settle(uuid(), id)); // a rejected request binds nothing
        assertWrongKind(as("ann").get("/v1/settlements/" + id + ":" + id), "tableId", "handId");
    }

    @Test
    void idsOfASettlement_areRejectedTheOtherWayRound() {
        String table = uuid();
        String hand = uuid();
        assertSettled(settle(table, hand));
        assertWrongKind(settle(hand, table), "tableId", "handId");
        assertWrongKind(settle(uuid(), table), "handId", "tableId");
        assertWrongKind(as("ann").get("/v1/settlements/" + hand + ":" + table), "tableId", "handId");
        assertSettled(settle(table, uuid()));
        assertThat(settle(table, hand).text("duplicate")).isEqualTo("true");
    }

    @Test
    void mintedIds_areRejectedInSettlements() {
        String table = open();
        String hand = deal(table);
        String session = enter(table);
        assertWrongKind(settle(hand, uuid()), "tableId", "handId");
        assertWrongKind(settle(table, table), "handId", "tableId");
        assertWrongKind(settle(session, uuid()), "tableId", "sessionId");
        assertWrongKind(settle(table, session), "handId", "sessionId");
        assertSettled(settle(table, hand));
        assertThat(as("ann").get("/v1/tables/" + table).text("settlements")).isEqualTo("1");
    }

    @Test
    void idOfAnotherKind_isRejectedByRoutesOfTables() throws Exception {
        String table = open();
        String hand = deal(table);
        String session = enter(table);
        for (String id : List.of(hand, session)) {
            String kind = id.equals(hand) ? "handId" : "sessionId";
            String path = "/v1/tables/" + id;
            assertWrongKind(as("ann").get(path), "tableId", kind);
            assertWrongKind(as("ann").delete(path), "tableId", kind);
            assertWrongKind(as("ann").post(path + "/sessions", ""), "tableId", kind);
            assertWrongKind(as("ann").post(path + "/hands", ""), "tableId", kind);
            assertWrongKind(as("ann").delete(path + "/hands/" + uuid()), "tableId", kind);
            assertWrongKind(act(id, uuid(), ""), "tableId", kind);
            try (SocketClient socket = SocketClient.ask(
                    server().server().port(), path + "/actions", "Authorization", "Bearer " + server().token("ann"))) {
                assertThat(socket.answered()).startsWith("HTTP/1.1 409 ");
                assertThat(socket.refusal().get("code").asString()).isEqualTo("wrong_kind");
            }
        }
        assertWrongKind(as("ann").delete("/v1/tables/" + table + "/hands/" + session), "handId", "sessionId");
        assertWrongKind(as("ann").delete("/v1/tables/" + table + "/hands/" + table), "handId", "tableId");
        assertThat(as("ann").get("/v1/tables/" + table).text("hands")).isEqualTo("1");
    }

    @Test
    void idOfAnotherKind_isRejectedInActions() throws Exception {
        String table = open();
        String hand = deal(table);
        String session = enter(table);
        assertWrongKind(act(table, table, ""), "clientMsgId", "tableId");
        assertWrongKind(act(table, hand, ""), "clientMsgId", "handId");
        assertWrongKind(act(table, session, ",\"sid\":\"" + session + "\",\"seq\":1"), "clientMsgId", "sessionId");
        assertWrongKind(
                act(table, uuid(), ",\"sid\":\"session-" + hand + "\",\"seq\":1"), "sid", "handId", "sessionId");
        assertProblem(act(table, uuid(), ",\"sid\":\"" + uuid() + "\",\"seq\":1"), 404, "not_found");
        String path = "/v1/tables/" + table + "/actions";
        try (SocketClient socket = SocketClient.open(server().server().port(), path, server().token("ann"))) {
            JsonNode rejected =
                    socket.ask("{\"type\":\"action\",\"clientMsgId\":\"" + hand + "\",\"action\":\"call\"}");
            assertThat(rejected.toString())
                    .isEqualTo(
                            "{\"type\":\"action_result\",\"clientMsgId\":\"" + hand + "\",\"ok\":false,\"status\":409,"
                                    + "\"code\":\"wrong_kind\",\"error\":\"wrong_kind\",\"detail\":\"clientMsgId is bound to the kind"
                                    + " handId and cannot be used as clientMsgId\",\"field\":\"clientMsgId\",\"duplicate\":false}");
        }
        assertThat(as("ann").get("/v1/tables/" + table).text("actions")).isEqualTo("0");
        assertThat(act(table, uuid(), ",\"sid\":\"" + session + "\",\"seq\":1").text("actions"))
                .isEqualTo("1");
    }

    @Test
    void clientMsgIdOfAnAction_isRejectedAsAnotherKind() {
        String table = open();
        String id = uuid();
        assertThat(act(table, id, "").status()).isEqualTo(200);
        assertWrongKind(settle(id, uuid()), "tableId", "clientMsgId");
        assertWrongKind(settle(table, id), "handId", "clientMsgId");
        assertWrongKind(as("ann").get("/v1/tables/" + id), "tableId", "clientMsgId");
        assertWrongKind(settle(uuid(), uuid(), id), "tournamentId", "clientMsgId");
        assertThat(act(table, id, "").text("duplicate")).isEqualTo("true");
        assertThat(act(open(), id, "").text("duplicate")).isEqualTo("false");
    }

    @Test
    void idOfATournament_isBound() {
        String table = open();
        String session = enter(table);
        String tournament = uuid();
        assertWrongKind(settle(uuid(), uuid(), table), "tournamentId", "tableId");
        for (String spelled : List.of(session, "session-" + session, "SESSION-" + session.toUpperCase(Locale.ROOT))) {
            assertWrongKind(settle(uuid(), uuid(), spelled), "tournamentId", "sessionId");
        }
        assertWrongKind(settle(tournament, uuid(), tournament), "tournamentId", "tableId");
        assertSettled(settle(table, deal(table), tournament));
        assertSettled(settle(table, deal(table), tournament.toUpperCase(Locale.ROOT)));
        assertWrongKind(settle(tournament, uuid()), "tableId", "tournamentId");
        assertWrongKind(as("ann").get("/v1/tables/" + tournament), "tableId", "tournamentId");
        String word = "tournament-" + uuid();
        assertSettled(settle(uuid(), uuid(), word));
        assertSettled(settle(uuid(), uuid(), word));
    }

    /** Otherwise, a settlement with the name of a user would lock the user out. */
    @Test
    void nameOfAUser_isNotBound() {
        String user = uuid();
        assertSettled(settle(user, uuid()));
        String table = as(user).post("/v1/tables", "").text("tableId");
        assertThat(as(user).get("/v1/tables/" + table).status()).isEqualTo(200);
        assertThat(as(user).post("/v1/tables/" + table + "/sessions", "").status())
                .isEqualTo(201);
    }

    @Test
    void duplicate_isNotRejectedForItsIds() {
        String table = open();
        String hand = deal(table);
        assertSettled(settle(table, hand));
        assertThat(settle(table, hand, table).text()).isEqualTo("{\"ok\":true,\"duplicate\":true}");
        assertThat(as("ann").get("/v1/settlements/" + table + ":" + hand).text("mismatches"))
                .isEqualTo("1");
    }

    @Test
    void pairInBothOrdersAtOnce_isSettledInOne() throws Exception {
        for (int i = 0; i < 20; i++) {
            String a = uuid();
            String b = uuid();
            List<Reply> replies = AppDriver.race(8, thread -> thread % 2 == 0 ? settle(a, b) : settle(b, a));
            List<Reply> ab = List.of(replies.get(0), replies.get(2), replies.get(4), replies.get(6));
            List<Reply> ba = List.of(replies.get(1), replies.get(3), replies.get(5), replies.get(7));
            boolean first = ab.get(0).status() == 200;
            assertThat(first ? ab : ba).extracting(Reply::status).containsOnly(200);
            assertThat(first ? ab : ba)
                    .extracting(reply -> reply.text("duplicate"))
                    .containsOnlyOnce("false");
            (first ? ba : ab).forEach(reply -> assertProblem(reply, 409, "wrong_kind"));
        }
    }

    @Test
    void oneIdAsManyKindsAtOnce_isBoundToOne() throws Exception {
        String table = open();
        for (int i = 0; i < 20; i++) {
            String id = uuid();
            List<Reply> replies = AppDriver.race(4, thread -> switch (thread) {
                case 0 -> settle(id, uuid());
                case 1 -> settle(uuid(), id);
                case 2 -> settle(uuid(), uuid(), id);
                default -> act(table, id, "");
            });
            assertThat(replies).extracting(Reply::status).containsOnlyOnce(200);
            replies.stream()
                    .filter(reply -> reply.status() != 200)
                    .forEach(reply -> assertProblem(reply, 409, "wrong_kind"));
        }
    }
}
