package dev.semel.server.apps.tables;

import dev.semel.json.Json;
import dev.semel.server.web.JsonText;
import tools.jackson.databind.JsonNode;

/**
 * A session of a user at a table.
 *
 * @param tableId the id of the table
 * @param user the name of the user
 * @param last the sequence number of the last applied action; 0 before the first
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
