package dev.semel.server.apps.collections;

import dev.semel.key.KeyTemplate;

/** The forms of document ids, and patterns that group documents by prefix. */
public final class DocumentIds {

    /** Any id, minted or chosen. */
    public static final KeyTemplate ANY = KeyTemplate.of("{id:text}");

    /** A readable namespace and an id: {@code user-04XhXYx9xCjfPYf32}. */
    public static final KeyTemplate PREFIXED = KeyTemplate.of("{prefix:word}-{id:tid62}");

    /** Nested documents that are listed by their first parts, such as the exercises of a workout. */
    public static final KeyTemplate SCOPED = KeyTemplate.of("{userid:tid62}-{workoutid:tid62}-{exerciseid:tid62}");

    private DocumentIds() {}
}
