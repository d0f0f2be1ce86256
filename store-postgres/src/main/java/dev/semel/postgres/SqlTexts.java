package dev.semel.postgres;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Caches the texts of statements. In a text, <code>{schema}</code> stands for the schema of the tables.
 */
final class SqlTexts {

    private static final String SCHEMA = "{schema}";

    private final String schema;
    private final Map<Object, String> texts = new ConcurrentHashMap<>();

    SqlTexts(String schema) {
        this.schema = '"' + schema + '"';
    }

    String qualified(String text) {
        return text.replace(SCHEMA, schema);
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
