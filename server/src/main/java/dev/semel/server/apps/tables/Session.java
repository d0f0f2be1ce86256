package dev.semel.server.apps.tables;

import dev.semel.json.Json;
import dev.semel.server.web.JsonText;
import tools.jackson.databind.JsonNode;

/**
 * A user's time at a table.
 *
 * @param tableId where
 * @param user who
 * @param last the number of the last action that was applied, 0 before the first
 */
record Session(String tableId, String user, long last) {

    static Session of(Json json) {
        JsonNode tree = JsonText.tree(json);
        return new Session(
                tree.get("tableId").stringValue(),
                tree.get("user").stringValue(),
                tree.get("last").longValue());
    }

    Json json() {
        return JsonText.json(
                JsonText.object().put("tableId", tableId).put("user", user).put("last", last));
    }

    Session withLast(long seq) {
        return new Session(tableId, user, seq);
    }
}
