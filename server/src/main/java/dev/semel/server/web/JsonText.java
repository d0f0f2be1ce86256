package dev.semel.server.web;

import dev.semel.json.Json;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/** JSON between its text, its tree and what a record holds. */
public final class JsonText {

    /** What an answer puts around what it was given. */
    private static final int LEVELS_AROUND = 8;

    /** What it takes to write a number grows faster than its digits. */
    private static final int MOST_DIGITS = 10_000;

    /** Reads whatever {@link Json} lets through, which has limits of its own; but no number of more digits than anybody needs. */
    private static final JsonMapper MAPPER = new JsonMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Json.MOST_LEVELS + LEVELS_AROUND)
                    .maxNameLength(Json.MOST_BYTES)
                    .maxStringLength(Json.MOST_BYTES)
                    .maxNumberLength(MOST_DIGITS)
                    .build())
            .streamWriteConstraints(StreamWriteConstraints.builder()
                    .maxNestingDepth(Json.MOST_LEVELS + LEVELS_AROUND)
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

    /**
     * What a record holds, as a tree.
     *
     * @throws Refusal if it holds a number with too many digits
     */
    public static JsonNode tree(Json json) {
        try {
            return MAPPER.readTree(json.bytes());
        } catch (StreamConstraintsException e) {
            throw Refusal.unreadable("A number has more than " + MOST_DIGITS + " digits");
        }
    }

    /** What a record holds, as a part of an answer: spelled as it came. */
    public static JsonNode asItIs(Json json) {
        return MAPPER.getNodeFactory().rawValueNode(new RawValue(json.text()));
    }

    /** A member of an object, spelled as it is there. */
    public static Optional<Json> member(Json object, String name) {
        byte[] text = object.bytes();
        try (JsonParser parser = MAPPER.createParser(text)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                boolean wanted = parser.currentName().equals(name);
                parser.nextToken();
                int from = (int) parser.currentTokenLocation().getByteOffset();
                parser.skipChildren();
                if (wanted) {
                    parser.finishToken();
                    int to = (int) parser.currentLocation().getByteOffset();
                    return Optional.of(Json.ofChecked(Arrays.copyOfRange(text, from, to)));
                }
            }
            return Optional.empty();
        }
    }

    /** A time as it is told: in UTC, to the millisecond. */
    public static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }
}
