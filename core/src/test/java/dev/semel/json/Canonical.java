package dev.semel.json;

import static java.nio.charset.StandardCharsets.UTF_8;

/** For tests: canonical JSON from text to text. */
final class Canonical {

    private Canonical() {}

    static String of(String text) {
        return new String(Json.canonical(text), UTF_8);
    }
}
