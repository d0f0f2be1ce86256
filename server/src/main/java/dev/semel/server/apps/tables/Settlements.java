package dev.semel.server.apps.tables;

import static dev.semel.server.apps.tables.TableCollections.HANDS;
import static dev.semel.server.apps.tables.TableCollections.SESSIONS;
import static dev.semel.server.apps.tables.TableCollections.SETTLEMENTS;
import static dev.semel.server.apps.tables.TableCollections.TABLES;
import static dev.semel.server.apps.tables.TableCollections.accepted;
import static dev.semel.server.apps.tables.TableCollections.change;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.document.Transaction;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.Document;
import dev.semel.store.spi.DocumentStore;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Settles each hand once. The id of a settlement consists of its table and its hand, so the first one to create it settles the hand. Later
 * settlements are duplicates; those with another payload are counted as mismatches.
 */
final class Settlements implements App {

    private final DocumentStore store;

    Settlements(DocumentStore store) {
        this.store = store;
    }

    @Override
    public void declare(Routes routes) {
        routes.atomic("POST", "/v1/settlements", Settlements::settle).get("/v1/settlements/{settlementId}", this::show);
    }

    private static ApiResponse settle(Request request) {
        ObjectNode payload = payload((ObjectNode) request.object());
        String id = payload.get("settlementId").stringValue();
        WriteResult result = SETTLEMENTS.create(request.tx(), id, stored(payload, 0));
        boolean duplicate = result instanceof WriteResult.Taken;
        if (result instanceof WriteResult.Taken taken) {
            countIfOther(request.tx(), taken.current(), payload);
        } else {
            process(request.tx(), payload);
        }
        return ApiResponse.ok(JsonText.object().put("ok", true).put("duplicate", duplicate));
    }

    /** Returns the payload with its ids in canonical form, so that equal settlements have equal fingerprints. */
    private static ObjectNode payload(ObjectNode body) {
        String tableId = accepted("tableId", "tableId", (JsonNode) body);
        String handId = accepted("handId", "handId", (JsonNode) body);
        String settlementId = TableIds.SETTLEMENT.key(Map.of("tableId", tableId, "handId", handId));
        if (Request.isGiven(body, "settlementId")
                && !accepted("settlementId", "settlementId", (JsonNode) body).equals(settlementId)) {
            throw ProblemException.invalid("settlementId", "must be tableId:handId");
        }
        if (Request.isGiven(body, "tournamentId")) {
            body.put("tournamentId", accepted("tournamentId", "tournamentId", (JsonNode) body));
        }
        return body.put("tableId", tableId).put("handId", handId).put("settlementId", settlementId);
    }

    /** Updates the table if it is known to this server. Rejects ids that are in use for another kind of thing. */
    private static void process(Transaction tx, ObjectNode payload) {
        String tableId = payload.get("tableId").stringValue();
        String handId = payload.get("handId").stringValue();
        rejectIfKnownAs("hand", HANDS, tx, "tableId", tableId);
        rejectIfKnownAs("session", SESSIONS, tx, "tableId", tableId);
        rejectIfKnownAs("table", TABLES, tx, "handId", handId);
        rejectIfKnownAs("session", SESSIONS, tx, "handId", handId);
        HANDS.read(tx, handId)
                .map(hand -> JsonText.tree(hand.data()).get("tableId").stringValue())
                .filter(dealtAt -> !dealtAt.equals(tableId))
                .ifPresent(dealtAt -> {
                    throw ProblemException.invalid("handId", "is the id of a hand at another table");
                });
        TABLES.read(tx, tableId).ifPresent(table -> change(tx, table, TableState::withSettlement));
    }

    private static void rejectIfKnownAs(
            String what, DocumentCollection collection, Transaction tx, String field, String id) {
        if (collection.read(tx, id).isPresent()) {
            throw ProblemException.invalid(field, "is the id of a " + what);
        }
    }

    private static void countIfOther(Transaction tx, Document first, ObjectNode payload) {
        JsonNode settled = JsonText.tree(first.data());
        if (!fingerprint(settled.get("payload")).equals(fingerprint(payload))) {
            long mismatches = settled.get("mismatches").longValue() + 1;
            SETTLEMENTS.update(
                    tx, first.key(), first.version(), stored((ObjectNode) settled.get("payload"), mismatches));
        }
    }

    private static Fingerprint fingerprint(JsonNode payload) {
        return Fingerprint.ofJson(JsonText.bytes(payload));
    }

    private static Json stored(ObjectNode payload, long mismatches) {
        return JsonText.json(JsonText.object().put("mismatches", mismatches).set("payload", payload));
    }

    private ApiResponse show(Request request) {
        String id = accepted("settlementId", "settlementId", request.part("settlementId"));
        Document settlement = SETTLEMENTS.read(store, id).orElseThrow(() -> ProblemException.notFound("settlement"));
        JsonNode settled = JsonText.tree(settlement.data());
        ObjectNode payload = (ObjectNode) settled.get("payload");
        ObjectNode shown = JsonText.object()
                .put("settlementId", id)
                .set("tableId", payload.get("tableId"))
                .set("handId", payload.get("handId"));
        if (payload.hasNonNull("tournamentId")) {
            shown.set("tournamentId", payload.get("tournamentId"));
        }
        return ApiResponse.ok(shown.put("createdAt", JsonText.time(settlement.createdAt()))
                .set("mismatches", settled.get("mismatches"))
                .set("payload", payload));
    }
}
