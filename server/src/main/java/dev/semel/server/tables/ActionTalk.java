package dev.semel.server.tables;

import static dev.semel.server.tables.TableRecords.accepted;
import static dev.semel.server.tables.TableRecords.table;

import dev.semel.http.Problem;
import dev.semel.id.TextFormat;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Talk;
import dev.semel.store.Store;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Actions at a table over a WebSocket: the same as by {@code POST}, and known to each other. */
final class ActionTalk implements Talk {

    private static final int LONGEST_ID_SHOWN = 64;

    private final Store store;
    private final Actions actions;

    ActionTalk(Store store, Actions actions) {
        this.store = store;
        this.actions = actions;
    }

    @Override
    public void check(Map<String, String> parts) {
        tableId(parts);
    }

    @Override
    public void begin(String user, Map<String, String> parts) {
        table(store, tableId(parts));
    }

    @Override
    public ObjectNode answer(String user, Map<String, String> parts, ObjectNode message) {
        return actions.apply(user, tableId(parts), message, Duration.ZERO);
    }

    @Override
    public Duration patience() {
        return Actions.PATIENCE;
    }

    /** An action that has an id is told by it. */
    @Override
    public ObjectNode refused(@Nullable JsonNode message, Problem problem) {
        String id = message == null ? "" : message.path("clientMsgId").asString("");
        if (id.length() > LONGEST_ID_SHOWN || !TextFormat.TEXT.isValid(id)) {
            return Talk.super.refused(message, problem);
        }
        return Talk.told(
                        "action_result",
                        JsonText.object().put("clientMsgId", id).put("ok", false),
                        problem)
                .put("duplicate", false);
    }

    private static String tableId(Map<String, String> parts) {
        return accepted("tableId", "tableId", Objects.requireNonNull(parts.get("tableId")));
    }
}
