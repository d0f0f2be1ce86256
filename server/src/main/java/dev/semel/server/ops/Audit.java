package dev.semel.server.ops;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.Page;
import dev.semel.document.Transaction;
import dev.semel.id.IdSchemes;
import dev.semel.key.KeyTemplate;
import dev.semel.server.web.Caller;
import dev.semel.server.web.JsonText;
import dev.semel.store.Document;
import dev.semel.store.spi.DocumentStore;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What operators have done, in order: who, when, what, to what, and why. An entry is written once, and nothing changes it. */
final class Audit {

    /** Whose entries are, so that no user's connection to the database sees them; nobody of this name can be erased. */
    private static final String OWNER = Caller.SEMEL + "operators";

    private static final DocumentCollection ENTRIES = DocumentCollection.of(
                    "ops/audit", KeyTemplate.of("{entry:tid62}"))
            .inCommitOrder()
            .ownedBy(OWNER);

    private Audit() {}

    /** Adds an entry in a transaction: it is there if, and only if, what it tells of was done. */
    static void add(Transaction tx, String operator, String action, String reason, ObjectNode what) {
        ObjectNode entry = JsonText.object()
                .put("operator", operator)
                .put("action", action)
                .put("reason", reason);
        entry.setAll(what);
        ENTRIES.createMinted(tx, IdSchemes.TID62::mint, JsonText.json(entry));
    }

    /** The latest first. */
    static Page newest(DocumentStore store, @Nullable String after, int limit) {
        return ENTRIES.newest(store, Map.of(), after, limit);
    }

    static JsonNode json(Document entry) {
        ObjectNode json = JsonText.object().put("id", entry.key()).put("at", JsonText.time(entry.createdAt()));
        json.setAll((ObjectNode) JsonText.tree(entry.data()));
        return json;
    }
}
