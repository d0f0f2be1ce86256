package dev.semel.server.apps.tables;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.Page;
import dev.semel.document.Transaction;
import dev.semel.json.Fingerprint;
import dev.semel.server.web.JsonText;
import dev.semel.store.Document;
import dev.semel.store.spi.DocumentStore;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Settlements that got duplicates with another payload. They are in a separate collection, so listing them does not read all settlements. It
 * holds fingerprints, and no payloads.
 */
final class Mismatches {

    private static final DocumentCollection MISMATCHES =
            DocumentCollection.of("tables/mismatches", TableIds.SETTLEMENT).inCommitOrder();

    private static final String COUNT = "mismatches";

    private Mismatches() {}

    /** Adds a duplicate with another payload than the settlement. */
    static void add(Transaction tx, String settlementId, Fingerprint settled, Fingerprint other) {
        Optional<Document> found = MISMATCHES.read(tx, settlementId);
        if (found.isEmpty()) {
            ObjectNode first = JsonText.object()
                    .put(COUNT, 1)
                    .put("fingerprint", settled.hex())
                    .put("firstFingerprint", other.hex())
                    .put("lastFingerprint", other.hex());
            MISMATCHES.create(tx, settlementId, JsonText.json(first));
        } else {
            ObjectNode more = (ObjectNode) JsonText.tree(found.get().data());
            more.put(COUNT, more.get(COUNT).longValue() + 1).put("lastFingerprint", other.hex());
            MISMATCHES.update(tx, settlementId, found.get().version(), JsonText.json(more));
        }
    }

    /** Returns how many duplicates of a settlement had another payload. */
    static long count(DocumentStore store, String settlementId) {
        return MISMATCHES
                .read(store, settlementId)
                .map(found -> JsonText.tree(found.data()).get(COUNT).longValue())
                .orElse(0L);
    }

    /** Returns a page of settlements with mismatches, the latest first by their first mismatch. */
    static Page newest(DocumentStore store, @Nullable String after, int limit) {
        return MISMATCHES.newest(store, Map.of(), after, limit);
    }

    static JsonNode json(Document mismatch) {
        ObjectNode json = JsonText.object().put("settlementId", mismatch.key());
        TableIds.SETTLEMENT.parse(mismatch.key()).forEach(json::put);
        json.put("firstAt", JsonText.time(mismatch.createdAt())).put("lastAt", JsonText.time(mismatch.updatedAt()));
        json.setAll((ObjectNode) JsonText.tree(mismatch.data()));
        return json;
    }
}
