package dev.semel.server.apps.tables;

import dev.semel.json.Json;
import dev.semel.server.web.JsonText;
import tools.jackson.databind.JsonNode;

/**
 * How a table stands. All of it only grows, so that whatever is done twice shows.
 *
 * @param hands how many hands were begun
 * @param actions how many actions were applied
 * @param pot what they put in, together
 * @param settlements how many hands were settled
 */
record TableState(long hands, long actions, long pot, long settlements) {

    static final TableState NEW = new TableState(0, 0, 0, 0);

    static TableState of(Json json) {
        JsonNode tree = JsonText.tree(json);
        return new TableState(
                tree.get("hands").longValue(),
                tree.get("actions").longValue(),
                tree.get("pot").longValue(),
                tree.get("settlements").longValue());
    }

    Json json() {
        return JsonText.json(JsonText.object()
                .put("hands", hands)
                .put("actions", actions)
                .put("pot", pot)
                .put("settlements", settlements));
    }

    TableState withHand() {
        return new TableState(hands + 1, actions, pot, settlements);
    }

    TableState withAction(long amount) {
        return new TableState(hands, actions + 1, pot + amount, settlements);
    }

    TableState withSettlement() {
        return new TableState(hands, actions, pot, settlements + 1);
    }
}
