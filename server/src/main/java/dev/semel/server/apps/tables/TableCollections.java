package dev.semel.server.apps.tables;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transaction;
import dev.semel.id.MalformedException;
import dev.semel.key.KeyTemplate;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.store.Document;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;

/** The collections that store tables, hands, sessions and settlements. */
final class TableCollections {

    static final DocumentCollection TABLES = DocumentCollection.of("tables/tables", KeyTemplate.of("{tableId:uuid4}"));
    static final DocumentCollection HANDS = DocumentCollection.of("tables/hands", KeyTemplate.of("{handId:uuid4}"));
    static final DocumentCollection SESSIONS = DocumentCollection.of("tables/sessions", KeyTemplate.of("{sid:uuid4}"));
    static final DocumentCollection SETTLEMENTS = DocumentCollection.of("tables/settlements", TableIds.SETTLEMENT);

    /** How long a hand lasts, and a table that is not used. */
    static final Duration LIFETIME = Duration.ofDays(1);

    /** How often the lifetime of a table in use is extended. Not with every action, because stores have an index of these times. */
    private static final Duration EXTENSION_INTERVAL = Duration.ofHours(1);

    private static final int LONGEST_ID = 1_000;

    private TableCollections() {}

    /**
     * Returns a table.
     *
     * @throws ProblemException if it does not exist, if it has ended, or if the id is bound to another kind
     */
    static Document table(Document.Reader reader, String tableId) {
        return TABLES.read(reader, tableId)
                .orElseThrow(() -> IdBindings.missing(reader, "tableId", "tableId", tableId));
    }

    /** Returns when a table ends if it is not used until then. */
    static Instant endOf(Document table) {
        return Objects.requireNonNull(table.expiresAt());
    }

    /** Changes the state of a table, and extends its lifetime. */
    static TableState change(Transaction tx, Document table, UnaryOperator<TableState> change) {
        TableState changed = change.apply(TableState.of(table.data()));
        if (isExtensionDue(tx, table)) {
            TABLES.update(tx, table.key(), table.version(), changed.json(), LIFETIME);
        } else {
            TABLES.update(tx, table.key(), table.version(), changed.json());
        }
        return changed;
    }

    /** Extends the lifetime of a table that is used without a change of its state. */
    static void extend(Transaction tx, Document table) {
        if (isExtensionDue(tx, table)) {
            TABLES.update(tx, table.key(), table.version(), table.data(), LIFETIME);
        }
    }

    private static boolean isExtensionDue(Transaction tx, Document table) {
        return endOf(table).isBefore(tx.now().plus(LIFETIME).minus(EXTENSION_INTERVAL));
    }

    /**
     * Returns an id from a request in its canonical form.
     *
     * @throws ProblemException if it is malformed
     */
    static String accepted(String kind, String field, String id) {
        try {
            return TableIds.REGISTRY.kind(kind).accept(field, id);
        } catch (MalformedException e) {
            throw ProblemException.malformed(e);
        }
    }

    /**
     * Returns an id from a request body in its canonical form.
     *
     * @throws ProblemException if it is missing or malformed
     */
    static String accepted(String kind, String field, JsonNode body) {
        return accepted(kind, field, Request.text(body, field, LONGEST_ID));
    }
}
