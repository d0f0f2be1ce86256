package dev.semel.outbox;

import java.util.HashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Reads the texts and numbers of a JSON object. */
final class JsonMembers {

    private static final JsonFactory JSON = new JsonFactory();

    private JsonMembers() {}

    /** Returns the members that are texts, numbers, true or false, as texts; none if the text is not a JSON object. */
    static Map<String, String> of(String json) {
        Map<String, String> members = new HashMap<>();
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return Map.of();
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (value.isScalarValue() && value != JsonToken.VALUE_NULL) {
                    members.put(name, parser.getString());
                }
                parser.skipChildren();
            }
            return members;
        } catch (JacksonException e) {
            return Map.of();
        }
    }
}
