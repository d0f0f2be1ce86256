package dev.semel.postgres;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Texts of statements, in which <code>{schema}</code> stands for the schema that holds the tables. Tables are always named with it: the
 * search path of a connection is its owner's.
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

    /** A text that was made before for the same shape: always the same object, so that the driver finds what it has prepared. */
    String get(Object shape, Supplier<String> text) {
        String known = texts.get(shape);
        if (known == null) {
            known = qualified(text.get());
            texts.put(shape, known);
        }
        return known;
    }
}
