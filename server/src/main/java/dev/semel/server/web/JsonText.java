package dev.semel.server.web;

import dev.semel.json.Json;
import dev.semel.store.Response;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
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

/** Converts JSON between text, trees and the data of documents. */
public final class JsonText {

    /** Levels of nesting that a response adds around a document. */
    private static final int LEVELS_AROUND = 8;

    /** The time to convert a number grows faster than its number of digits. */
    private static final int MOST_DIGITS = 10_000;

    /** Reads everything that {@link Json} accepts, except numbers with too many digits. */
    private static final JsonMapper MAPPER = mapper(Json.MOST_LEVELS + LEVELS_AROUND);

    /** Fails to write what {@link Json} would reject for its nesting. */
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

    /** Returns a new empty object. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Returns a tree as UTF-8 text. */
    public static byte[] bytes(JsonNode tree) {
        return MAPPER.writeValueAsBytes(tree);
    }

    /**
     * Returns a tree as data of a document. The output of the writer is valid JSON, except that it can contain an escaped half of a
     * surrogate pair; only such output is validated.
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
     * Returns the data of a document as a tree.
     *
     * @throws ProblemException if a number has too many digits
     */
    public static JsonNode tree(Json json) {
        return parse(json.bytes());
    }

    /** Returns the body of a response that was made with {@link #bytes} as a tree. */
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

    /** Returns the data of a document as a part of a response. Its bytes are not changed. */
    public static JsonNode raw(Json json) {
        return MAPPER.getNodeFactory().rawValueNode(new RawValue(json.text()));
    }

    /** Returns a member of an object with its original bytes; empty if it is missing. */
    public static Optional<Json> member(Json object, String name) {
        return Optional.ofNullable(members(object, name::equals).get(name));
    }

    /** Returns the members of an object in their order, with their original bytes. */
    public static Map<String, Json> members(Json object) {
        return members(object, name -> true);
    }

    private static Map<String, Json> members(Json object, Predicate<String> wanted) {
        byte[] text = object.bytes();
        Map<String, Json> members = new LinkedHashMap<>();
        try (JsonParser parser = MAPPER.createParser(text)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                int from = (int) parser.currentTokenLocation().getByteOffset();
                parser.skipChildren();
                if (wanted.test(name)) {
                    parser.finishToken();
                    int to = (int) parser.currentLocation().getByteOffset();
                    members.put(name, Json.ofChecked(Arrays.copyOfRange(text, from, to)));
                }
            }
            return members;
        }
    }

    /** Returns a time in UTC with milliseconds. */
    public static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }
}
