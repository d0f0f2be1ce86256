package dev.semel.server.web;

import dev.semel.json.Json;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** JSON between its text, its tree and what a record holds. */
public final class JsonText {

    /** Reads whatever {@link Json} lets through: its limits are the ones that count. */
    private static final JsonMapper MAPPER = new JsonMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Json.MOST_LEVELS)
                    .maxNameLength(Json.MOST_BYTES)
                    .maxStringLength(Json.MOST_BYTES)
                    .maxNumberLength(Json.MOST_BYTES)
                    .build())
            .streamWriteConstraints(StreamWriteConstraints.builder()
                    .maxNestingDepth(Json.MOST_LEVELS + 10) // what is stored is shown within something
                    .build())
            .enable(StreamReadFeature.USE_FAST_BIG_NUMBER_PARSER)
            .build());

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
