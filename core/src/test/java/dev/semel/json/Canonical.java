package dev.semel.json;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Canonicalizes JSON texts in tests. */
final class Canonical {

    private Canonical() {}

    static String of(String text) {
        return new String(Json.canonical(text), UTF_8);
    }
}
