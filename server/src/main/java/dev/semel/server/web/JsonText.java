package dev.semel.server.web;

import dev.semel.json.Json;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** JSON between its text, its tree and what a record holds. */
public final class JsonText {

    private static final JsonMapper MAPPER = new JsonMapper();

    private JsonText() {}

    /** An empty object. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** As text, in UTF-8. */
    public static byte[] bytes(JsonNode tree) {
        return MAPPER.writeValueAsBytes(tree);
    }

    /** As a record holds it. */
    public static Json json(JsonNode tree) {
        return Json.of(bytes(tree));
    }

    /** What a record holds, as a tree. */
    public static JsonNode tree(Json json) {
        return MAPPER.readTree(json.bytes());
    }
}
