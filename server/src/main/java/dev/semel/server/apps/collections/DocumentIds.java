package dev.semel.server.apps.collections;

import dev.semel.key.KeyTemplate;

/** What the ids of records look like, and the patterns that group the records of a collection. */
public final class DocumentIds {

    /** Any id, chosen or made. */
    public static final KeyTemplate ANY = KeyTemplate.of("{id:text}");

    /** A namespace that people can read: {@code user-04XhXYx9xCjfPYf32}. */
    public static final KeyTemplate PREFIXED = KeyTemplate.of("{prefix:word}-{id:tid62}");

    /** Records within records, listed by their first parts: a user's workouts, a workout's exercises. */
    public static final KeyTemplate SCOPED = KeyTemplate.of("{userid:tid62}-{workoutid:tid62}-{exerciseid:tid62}");

    private DocumentIds() {}
}
