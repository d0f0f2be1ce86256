package dev.semel.server.apps.tables;

import dev.semel.json.Json;
import dev.semel.server.web.JsonText;

/**
 * A hand that was dealt.
 *
 * @param tableId the id of its table
 */
record Hand(String tableId) {

    static Hand of(Json json) {
        return new Hand(JsonText.tree(json).get("tableId").stringValue());
    }

    Json json() {
        return JsonText.json(JsonText.object().put("tableId", tableId));
    }
}
