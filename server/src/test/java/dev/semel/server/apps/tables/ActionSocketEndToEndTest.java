package dev.semel.server.apps.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.AppDriver;
import dev.semel.server.EndToEnd;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.SocketClient;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Actions over WebSockets, on each store. Each is applied once, however often and by whichever way it is sent. */
@Tag("jdk")
class ActionSocketEndToEndTest extends EndToEnd {

    private String table = "";

    ActionSocketEndToEndTest(On on) {
        super(on);
    }

    @BeforeEach
    void openTable() {
        table = as("ann").post("/v1/tables", "").text("tableId");
    }

    private SocketClient open(String user) throws IOException {
        return SocketClient.open(server().server().port(), path(), server().token(user));
    }

    private String path() {
        return "/v1/tables/" + table + "/actions";
    }

    private static String uuid() {
        return UUID.randomUUID().toString();
    }

    private static String raise(String id, int amount) {
        return "{\"type\":\"action\",\"clientMsgId\":\"%s\",\"action\":\"raise\",\"amount\":%d}".formatted(id, amount);
    }

    private String pot() {
        return as("ann").get("/v1/tables/" + table).text("pot");
    }

    @Test
    void action_isAppliedAndGetsItsResult() throws Exception {
        String id = uuid();
        try (SocketClient socket = open("ann")) {
            JsonNode result = socket.ask(raise(id, 100));
            assertThat(result.propertyNames())
                    .containsExactly("type", "clientMsgId", "ok", "actions", "pot", "duplicate");
            assertThat(result.toString())
                    .isEqualTo("{\"type\":\"action_result\",\"clientMsgId\":\"" + id
                            + "\",\"ok\":true,\"actions\":1,\"pot\":100,\"duplicate\":false}");
        }
        assertThat(pot()).isEqualTo("100");
    }

    @Test
    void repeat_getsTheFirstResultOnAnyConnectionAndByPost() throws Exception {
        String id = uuid();
        String first;
        try (SocketClient socket = open("ann")) {
            first = socket.ask(raise(id, 100)).toString();
            socket.ask(raise(uuid(), 7));
            assertThat(socket.ask(raise(id, 100)).toString()).isEqualTo(asDuplicate(first));
        }
        try (SocketClient again = open("ann")) {
            assertThat(again.ask(raise(id, 100)).toString()).isEqualTo(asDuplicate(first));
        }
        Reply posted = as("ann").post(path(), raise(id, 100));
        assertThat(posted.text()).isEqualTo(asDuplicate(first));
        String other = uuid();
        as("ann").post(path(), raise(other, 10));
        try (SocketClient again = open("ann")) {
            assertThat(again.ask(raise(other, 10)).get("duplicate").asBoolean()).isTrue();
        }
        assertThat(pot()).isEqualTo("117");
    }

    private static String asDuplicate(String result) {
        return result.replace("\"duplicate\":false", "\"duplicate\":true");
    }

    /** The client disconnects before the reply, so it does not know whether the action was applied. */
    @Test
    void repeatAfterACut_isAppliedOnce() throws Exception {
        for (int i = 0; i < 20; i++) {
            String id = uuid();
            try (SocketClient cut = open("ann")) {
                cut.send(raise(id, 1));
            }
            try (SocketClient again = open("ann")) {
                assertThat(again.ask(raise(id, 1)).get("ok").asBoolean()).isTrue();
            }
        }
        assertThat(pot()).isEqualTo("20");
    }

    @Test
    void copiesAtOnceOnManyConnections_areAppliedOnceWithOneResult() throws Exception {
        String id = uuid();
        List<JsonNode> results = AppDriver.race(8, thread -> {
            try (SocketClient socket = open("ann")) {
                return socket.ask(raise(id, 100));
            }
        });
        assertThat(results).extracting(result -> result.get("pot").asInt()).containsOnly(100);
        assertThat(results)
                .extracting(result -> result.get("duplicate").asBoolean())
                .containsOnlyOnce(false);
        assertThat(pot()).isEqualTo("100");
    }

    @Test
    void otherPayload_isRejectedAndTheConnectionStays() throws Exception {
        String id = uuid();
        try (SocketClient socket = open("ann")) {
            socket.ask(raise(id, 100));
            JsonNode refused = socket.ask(raise(id, 200));
            assertThat(refused.toString())
                    .isEqualTo("{\"type\":\"action_result\",\"clientMsgId\":\"" + id
                            + "\",\"ok\":false,\"status\":422,\"code\":\"payload_mismatch\","
                            + "\"error\":\"payload_mismatch\",\"detail\":\"This clientMsgId was used for another action\","
                            + "\"duplicate\":false}");
            assertThat(socket.ask(raise(uuid(), 1)).get("ok").asBoolean()).isTrue();
        }
        assertThat(pot()).isEqualTo("101");
    }

    /** They are sent without waiting for replies, and are handled one at a time. */
    @Test
    void numberedActionsSentAtOnce_areAppliedInTheirOrder() throws Exception {
        String sid = as("ann").post("/v1/tables/" + table + "/sessions", "").text("sid");
        try (SocketClient socket = open("ann")) {
            for (int seq = 1; seq <= 10; seq++) {
                socket.send(numbered(sid, seq));
            }
            for (int seq = 1; seq <= 10; seq++) {
                assertThat(socket.message().get("actions").asInt()).isEqualTo(seq);
            }
            assertThat(socket.ask(numbered(sid, 3)).get("duplicate").asBoolean())
                    .isTrue();
            JsonNode gap = socket.ask(numbered(sid, 12));
            assertThat(gap.get("status").asInt() + gap.get("code").asString() + gap.get("expected"))
                    .isEqualTo("409out_of_order11");
        }
        assertThat(as("ann").get("/v1/tables/" + table).text("actions")).isEqualTo("10");
    }

    private static String numbered(String sid, int seq) {
        return "{\"type\":\"action\",\"clientMsgId\":\"%s\",\"action\":\"call\",\"sid\":\"%s\",\"seq\":%d}"
                .formatted(uuid(), sid, seq);
    }

    @Test
    void tokenAsFirstMessage_isAccepted() throws Exception {
        try (SocketClient socket = SocketClient.ask(server().server().port(), path())) {
            JsonNode in = socket.ask("{\"type\":\"auth\",\"token\":\"" + server().token("ann") + "\"}");
            assertThat(in.get("type").asString() + in.get("user").asString()).isEqualTo("auth_okann");
            assertThat(socket.ask(raise(uuid(), 5)).get("ok").asBoolean()).isTrue();
        }
        assertThat(pot()).isEqualTo("5");
    }
}
