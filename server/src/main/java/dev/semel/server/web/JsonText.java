package dev.semel.server.web;

import dev.semel.json.Json;
import dev.semel.store.Response;
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

/** JSON as text, as a tree, and as the content of a document. */
public final class JsonText {

    /** Levels that a response puts around a document. */
    private static final int LEVELS_AROUND = 8;

    /** What it takes to write a number grows faster than its digits. */
    private static final int MOST_DIGITS = 10_000;

    /** Reads whatever {@link Json} accepts, but no number with more digits than anybody needs. */
    private static final JsonMapper MAPPER = mapper(Json.MOST_LEVELS + LEVELS_AROUND);

    /** Writes nothing that {@link Json} would reject. */
    private static final JsonMapper DOCUMENT_WRITER = mapper(Json.MOST_LEVELS);

    private static JsonMapper mapper(int levels) {
        return new JsonMapper(JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(levels)
                        .maxNameLength(Json.MOST_BYTES)
                        .maxStringLength(Json.MOST_BYTES)
                        .maxNumberLength(MOST_DIGITS)
                        .build())
                .streamWriteConstraints(
                        StreamWriteConstraints.builder().maxNestingDepth(levels).build())
                .enable(StreamReadFeature.USE_FAST_BIG_NUMBER_PARSER)
                .build());
    }

    private JsonText() {}

    /** An empty object. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** As text, in UTF-8. */
    public static byte[] bytes(JsonNode tree) {
        return MAPPER.writeValueAsBytes(tree);
    }

    /**
     * As a document holds it. What the writer has made is JSON and need not be checked, but for one thing: it writes half of a surrogate
     * pair as an escape.
     */
    public static Json json(JsonNode tree) {
        byte[] json = DOCUMENT_WRITER.writeValueAsBytes(tree);
        return mayHaveSurrogateEscape(json) ? Json.of(json) : Json.ofChecked(json);
    }

    private static boolean mayHaveSurrogateEscape(byte[] json) {
        for (int i = 0; i + 2 < json.length; i++) {
            if (json[i] == '\\' && json[i + 1] == 'u' && (json[i + 2] == 'D' || json[i + 2] == 'd')) {
                return true;
            }
        }
        return false;
    }

    /**
     * The content of a document, as a tree.
     *
     * @throws ProblemException if it has a number with too many digits
     */
    public static JsonNode tree(Json json) {
        return parse(json.bytes());
    }

    /** The body of a response that was made with {@link #bytes}, as a tree. */
    public static JsonNode written(Response response) {
        return parse(response.body());
    }

    private static JsonNode parse(byte[] json) {
        try {
            return MAPPER.readTree(json);
        } catch (StreamConstraintsException e) {
            throw ProblemException.unreadable("A number has more than " + MOST_DIGITS + " digits");
        }
    }

    /** The content of a document as a part of a response, with its original bytes. */
    public static JsonNode raw(Json json) {
        return MAPPER.getNodeFactory().rawValueNode(new RawValue(json.text()));
    }

    /** A member of an object, with its original bytes. */
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

    /** A time in UTC, to the millisecond. */
    public static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }
}
