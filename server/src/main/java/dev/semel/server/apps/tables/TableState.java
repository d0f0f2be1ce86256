package dev.semel.server.apps.tables;

import dev.semel.json.Json;
import dev.semel.server.web.JsonText;
import tools.jackson.databind.JsonNode;

/**
 * The state of a table. All counters only increase, so a change that is applied twice is visible.
 *
 * @param createdBy the name of the user who created the table
 * @param hands the number of hands dealt
 * @param actions the number of actions applied
 * @param pot the sum of the amounts of all actions
 * @param settlements the number of hands settled
 */
record TableState(String createdBy, long hands, long actions, long pot, long settlements) {

    static TableState createdBy(String user) {
        return new TableState(user, 0, 0, 0, 0);
    }

    static TableState of(Json json) {
        JsonNode tree = JsonText.tree(json);
        return new TableState(
                tree.get("createdBy").stringValue(),
                tree.get("hands").longValue(),
                tree.get("actions").longValue(),
                tree.get("pot").longValue(),
                tree.get("settlements").longValue());
    }

    Json json() {
        return JsonText.json(JsonText.object()
                .put("createdBy", createdBy)
                .put("hands", hands)
                .put("actions", actions)
                .put("pot", pot)
                .put("settlements", settlements));
    }

    TableState withHand() {
        return new TableState(createdBy, hands + 1, actions, pot, settlements);
    }

    TableState withAction(long amount) {
        return new TableState(createdBy, hands, actions + 1, pot + amount, settlements);
    }

    TableState withSettlement() {
        return new TableState(createdBy, hands, actions, pot, settlements + 1);
    }
}
