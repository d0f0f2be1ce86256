package dev.semel.postgres;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Caches the texts of statements. In a text, <code>{schema}</code> stands for the schema of the tables, and
 * <code>{documents_lock}</code> and <code>{all_documents_lock}</code> for the {@linkplain AdvisoryLocks locks} of all documents.
 */
final class SqlTexts {

    private static final String SCHEMA = "{schema}";
    private static final String DOCUMENTS_LOCK = "{documents_lock}";
    private static final String ALL_DOCUMENTS_LOCK = "{all_documents_lock}";

    private final String schema;
    private final AdvisoryLocks locks;
    private final Map<Object, String> texts = new ConcurrentHashMap<>();

    SqlTexts(String schema) {
        this.schema = '"' + schema + '"';
        this.locks = new AdvisoryLocks(schema);
    }

    String qualified(String text) {
        return text.replace(SCHEMA, schema)
                .replace(DOCUMENTS_LOCK, locks.ofDocuments() + "::int8")
                .replace(ALL_DOCUMENTS_LOCK, locks.ofAllDocuments() + "::int8");
    }

    /** Returns the text for a shape. It is made once, so the driver finds the statement that it has prepared. */
    String get(Object shape, Supplier<String> text) {
        String known = texts.get(shape);
        if (known == null) {
            known = qualified(text.get());
            texts.put(shape, known);
        }
        return known;
    }
}
