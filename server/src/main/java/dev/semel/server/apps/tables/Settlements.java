package dev.semel.server.apps.tables;

import static dev.semel.server.apps.tables.TableCollections.HANDS;
import static dev.semel.server.apps.tables.TableCollections.SETTLEMENTS;
import static dev.semel.server.apps.tables.TableCollections.TABLES;
import static dev.semel.server.apps.tables.TableCollections.accepted;
import static dev.semel.server.apps.tables.TableCollections.change;

import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.document.Transaction;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Pages;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.Document;
import dev.semel.store.spi.DocumentStore;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Settles each hand once. The id of a settlement consists of its table and its hand, so the first one to create it settles the hand. Later
 * settlements are duplicates; those with another payload are counted as mismatches.
 */
final class Settlements implements App {

    private static final String TABLE_ID = "tableId";
    private static final String HAND_ID = "handId";
    private static final String TOURNAMENT_ID = "tournamentId";

    private final DocumentStore store;
    private final Runnable mismatchListener;

    /** @param mismatchListener called for each duplicate with another payload, after its commit */
    Settlements(DocumentStore store, Runnable mismatchListener) {
        this.store = store;
        this.mismatchListener = mismatchListener;
    }

    @Override
    public void declare(Routes routes) {
        routes.atomic("POST", "/v1/settlements", this::settle)
                .get("/v1/settlements/{settlementId}", this::show)
                .operator(
                        "GET",
                        "/v1/ops/settlements/mismatches",
                        request -> Pages.respond(
                                request, (after, limit) -> Mismatches.newest(store, after, limit), Mismatches::json));
    }

    private ApiResponse settle(Request request) {
        ObjectNode payload = payload((ObjectNode) request.object());
        String id = payload.get("settlementId").stringValue();
        WriteResult result = SETTLEMENTS.create(request.tx(), id, stored(payload));
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
        String tableId = accepted(TABLE_ID, TABLE_ID, (JsonNode) body);
        String handId = accepted(HAND_ID, HAND_ID, (JsonNode) body);
        String settlementId = TableIds.SETTLEMENT.key(Map.of(TABLE_ID, tableId, HAND_ID, handId));
        if (Request.isGiven(body, "settlementId")
                && !accepted("settlementId", "settlementId", (JsonNode) body).equals(settlementId)) {
            throw ProblemException.invalid("settlementId", "must be tableId:handId");
        }
        if (Request.isGiven(body, TOURNAMENT_ID)) {
            body.put(TOURNAMENT_ID, accepted(TOURNAMENT_ID, TOURNAMENT_ID, (JsonNode) body));
        }
        return body.put(TABLE_ID, tableId).put(HAND_ID, handId).put("settlementId", settlementId);
    }

    /**
     * Binds the ids that have no documents here, and updates the table if it has one. Rejects ids of other kinds, and tables and hands that
     * have ended.
     */
    private static void process(Transaction tx, ObjectNode payload) {
        String tableId = payload.get(TABLE_ID).stringValue();
        String handId = payload.get(HAND_ID).stringValue();
        Optional<Document> table = TABLES.read(tx, tableId);
        Optional<Document> hand = HANDS.read(tx, handId);
        if (table.isEmpty()) {
            IdBindings.bind(tx, TABLE_ID, TABLE_ID, tableId);
        }
        if (hand.isEmpty()) {
            IdBindings.bind(tx, HAND_ID, HAND_ID, handId);
        } else if (!Hand.of(hand.get().data()).tableId().equals(tableId)) {
            throw ProblemException.invalid(HAND_ID, "is the id of a hand at another table");
        }
        if (Request.isGiven(payload, TOURNAMENT_ID)) {
            String tournamentId = payload.get(TOURNAMENT_ID).stringValue();
            IdBindings.bind(tx, TOURNAMENT_ID, TOURNAMENT_ID, tournamentId);
        }
        table.ifPresent(open -> change(tx, open, TableState::withSettlement));
    }

    private void countIfOther(Transaction tx, Document first, ObjectNode payload) {
        Fingerprint settled = fingerprint(JsonText.tree(first.data()).get("payload"));
        Fingerprint other = fingerprint(payload);
        if (!settled.equals(other)) {
            Mismatches.add(tx, first.key(), settled, other);
            tx.afterCommit(mismatchListener);
        }
    }

    private static Fingerprint fingerprint(JsonNode payload) {
        return Fingerprint.ofJson(JsonText.bytes(payload));
    }

    private static Json stored(ObjectNode payload) {
        return JsonText.json(JsonText.object().set("payload", payload));
    }

    private ApiResponse show(Request request) {
        String id = accepted("settlementId", "settlementId", request.part("settlementId"));
        Document settlement = SETTLEMENTS.read(store, id).orElseThrow(() -> missing(id));
        ObjectNode payload = (ObjectNode) JsonText.tree(settlement.data()).get("payload");
        ObjectNode shown = JsonText.object()
                .put("settlementId", id)
                .set(TABLE_ID, payload.get(TABLE_ID))
                .set(HAND_ID, payload.get(HAND_ID));
        if (payload.hasNonNull(TOURNAMENT_ID)) {
            shown.set(TOURNAMENT_ID, payload.get(TOURNAMENT_ID));
        }
        return ApiResponse.ok(shown.put("createdAt", JsonText.time(settlement.createdAt()))
                .put("mismatches", Mismatches.count(store, id))
                .set("payload", payload));
    }

    /** Returns why there is no settlement: one of its ids is bound to another kind, or nothing was settled. */
    private ProblemException missing(String settlementId) {
        TableIds.SETTLEMENT.parse(settlementId).forEach((kind, id) -> IdBindings.check(store, kind, kind, id));
        return ProblemException.notFound("settlement");
    }
}
