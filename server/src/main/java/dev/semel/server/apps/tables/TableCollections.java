package dev.semel.server.apps.tables;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transaction;
import dev.semel.id.MalformedException;
import dev.semel.key.KeyTemplate;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.store.Document;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;

/** The collections that store tables, hands, sessions and settlements. */
final class TableCollections {

    static final DocumentCollection TABLES = DocumentCollection.of("tables/tables", KeyTemplate.of("{tableId:uuid4}"));
    static final DocumentCollection HANDS = DocumentCollection.of("tables/hands", KeyTemplate.of("{handId:uuid4}"));
    static final DocumentCollection SESSIONS = DocumentCollection.of("tables/sessions", KeyTemplate.of("{sid:uuid4}"));
    static final DocumentCollection SETTLEMENTS = DocumentCollection.of("tables/settlements", TableIds.SETTLEMENT);

    private static final int LONGEST_ID = 1_000;

    private TableCollections() {}

    /**
     * Returns a table.
     *
     * @throws ProblemException if it does not exist
     */
    static Document table(Document.Reader reader, String tableId) {
        return TABLES.read(reader, tableId).orElseThrow(() -> ProblemException.notFound("table"));
    }

    /** Changes the state of a table. */
    static TableState change(Transaction tx, Document table, UnaryOperator<TableState> change) {
        TableState changed = change.apply(TableState.of(table.data()));
        TABLES.update(tx, table.key(), table.version(), changed.json());
        return changed;
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
