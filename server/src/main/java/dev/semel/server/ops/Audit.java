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

/** The audit log: what operators did, when, to which key or user, and why. Entries are never changed. */
final class Audit {

    /**
     * Owner of the entries. No user can have this name, so row level security hides the entries from users, and erasing a user keeps them.
     */
    private static final String OWNER = Caller.RESERVED_PREFIX + "operators";

    private static final DocumentCollection ENTRIES = DocumentCollection.of(
                    "ops/audit", KeyTemplate.of("{entry:tid62}"))
            .inCommitOrder()
            .ownedBy(OWNER);

    private Audit() {}

    /** Adds an entry in a transaction, so it is stored if and only if the action is. */
    static void add(Transaction tx, String operator, String action, String reason, ObjectNode what) {
        ObjectNode entry = JsonText.object()
                .put("operator", operator)
                .put("action", action)
                .put("reason", reason);
        entry.setAll(what);
        ENTRIES.createMinted(tx, IdSchemes.TID62::mint, JsonText.json(entry));
    }

    /** Returns a page of entries, the latest first. */
    static Page newest(DocumentStore store, @Nullable String after, int limit) {
        return ENTRIES.newest(store, Map.of(), after, limit);
    }

    static JsonNode json(Document entry) {
        ObjectNode json = JsonText.object().put("id", entry.key()).put("at", JsonText.time(entry.createdAt()));
        json.setAll((ObjectNode) JsonText.tree(entry.data()));
        return json;
    }
}
