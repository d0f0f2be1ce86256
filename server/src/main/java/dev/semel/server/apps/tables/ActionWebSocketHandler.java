package dev.semel.server.apps.tables;

import static dev.semel.server.apps.tables.TableCollections.accepted;
import static dev.semel.server.apps.tables.TableCollections.table;

import dev.semel.http.Problem;
import dev.semel.id.TextFormat;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.WebSocketHandler;
import dev.semel.store.spi.DocumentStore;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Handles actions over a WebSocket, with the same effect as by {@code POST}. */
final class ActionWebSocketHandler implements WebSocketHandler {

    private static final int LONGEST_ID_SHOWN = 64;

    private final DocumentStore store;
    private final Actions actions;

    ActionWebSocketHandler(DocumentStore store, Actions actions) {
        this.store = store;
        this.actions = actions;
    }

    @Override
    public void check(Map<String, String> parts) {
        tableId(parts);
    }

    @Override
    public void open(String user, Map<String, String> parts) {
        table(store, tableId(parts));
    }

    @Override
    public ObjectNode handle(String user, Map<String, String> parts, ObjectNode message) {
        return actions.apply(user, tableId(parts), message, Duration.ZERO);
    }

    @Override
    public Duration maxWait() {
        return Actions.MAX_WAIT;
    }

    /** Adds the {@code clientMsgId} of the action, if it has a valid one. */
    @Override
    public ObjectNode rejection(@Nullable JsonNode message, Problem problem) {
        String id = message == null ? "" : message.path("clientMsgId").asString("");
        if (id.length() > LONGEST_ID_SHOWN || !TextFormat.TEXT.isValid(id)) {
            return WebSocketHandler.super.rejection(message, problem);
        }
        return WebSocketHandler.reply(
                        "action_result",
                        JsonText.object().put("clientMsgId", id).put("ok", false),
                        problem)
                .put("duplicate", false);
    }

    private static String tableId(Map<String, String> parts) {
        return accepted("tableId", "tableId", Objects.requireNonNull(parts.get("tableId")));
    }
}
