package dev.semel.server.cli;

import dev.semel.json.Json;
import dev.semel.json.MalformedJsonException;
import dev.semel.outbox.OutboxRequest;
import dev.semel.server.settings.Suggestions;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** Parses the requests that users type, or pass as lines of JSON. */
final class RequestLines {

    private static final List<String> MEMBERS = List.of("operation", "method", "endpoint", "lane", "payload");
    /** The limits are those of {@link Json}, which has accepted a line before. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Json.MOST_LEVELS)
                    .maxNumberLength(Json.MOST_BYTES)
                    .maxStringLength(Json.MOST_BYTES)
                    .maxNameLength(Json.MOST_BYTES)
                    .build())
            .build();

    private RequestLines() {}

    /**
     * Returns a request; null stands for the default.
     *
     * @throws MalformedJsonException if the payload is not JSON
     * @throws IllegalArgumentException naming what else is wrong
     */
    static OutboxRequest request(
            @Nullable String method,
            String endpoint,
            @Nullable String operation,
            @Nullable String lane,
            @Nullable String payload) {
        OutboxRequest request = OutboxRequest.of(method == null ? "POST" : method.toUpperCase(Locale.ROOT), endpoint);
        if (operation != null) {
            request = request.operation(operation);
        }
        if (lane != null) {
            request = request.lane(lane);
        }
        return payload == null ? request : request.json(payload);
    }

    /**
     * Parses a line. The payload is kept as it is written.
     *
     * @throws MalformedJsonException if the line is not JSON
     * @throws IllegalArgumentException naming what else is wrong
     */
    static OutboxRequest parse(String line) {
        Json.of(line); // names the column of a fault, and rejects repeated members
        Map<String, String> values = new HashMap<>();
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), line)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("A line must be a JSON object");
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                if (!MEMBERS.contains(name)) {
                    throw new IllegalArgumentException(Suggestions.unknown("member", name, MEMBERS));
                }
                JsonToken value = parser.nextToken();
                if (name.equals("payload")) {
                    values.put(name, source(parser, line));
                } else if (value == JsonToken.VALUE_STRING) {
                    values.put(name, parser.getString());
                } else {
                    throw new IllegalArgumentException(name + " must be a text");
                }
            }
        }
        String endpoint = values.get("endpoint");
        if (endpoint == null) {
            throw new IllegalArgumentException("endpoint is missing");
        }
        return request(
                values.get("method"), endpoint, values.get("operation"), values.get("lane"), values.get("payload"));
    }

    /** Returns the text of the current value. */
    private static String source(JsonParser parser, String line) {
        int start = (int) parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        return line.substring(start, (int) parser.currentLocation().getCharOffset());
    }
}
