package dev.semel.http;

import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * An error response in the format of RFC 9457.
 *
 * @param status the HTTP status
 * @param code identifies the error to programs; stable between versions
 * @param error describes the error to people; the same text for every error with this code
 * @param detail describes this occurrence
 * @param members additional members by name: strings, numbers, booleans, and lists of these
 */
public record Problem(int status, String code, String error, String detail, Map<String, Object> members) {

    /** The media type of error responses. */
    public static final String CONTENT_TYPE = "application/problem+json";

    /** Name of the member with the time in milliseconds after which a retry may succeed. */
    public static final String RETRY_AFTER = "retry_after";

    private static final long SECOND = 1_000;

    private static final JsonFactory JSON = new JsonFactory();

    public Problem {
        members = Map.copyOf(members);
    }

    /** Returns an error whose detail is its error text. */
    public static Problem of(int status, String code, String error) {
        return new Problem(status, code, error, error, Map.of());
    }

    /** Returns this error with another detail. */
    public Problem detailed(String detail) {
        return new Problem(status, code, error, detail, members);
    }

    /** Returns this error with another status. */
    public Problem withStatus(int status) {
        return new Problem(status, code, error, detail, members);
    }

    /** Returns this error with an additional member. */
    public Problem with(String member, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(members);
        more.put(member, value);
        return new Problem(status, code, error, detail, more);
    }

    /** Returns the value of the header {@code Retry-After}: {@link #RETRY_AFTER} rounded up to whole seconds; null if there is none. */
    public @Nullable String retryAfterSeconds() {
        return members.get(RETRY_AFTER) instanceof Number millis
                ? Long.toString((millis.longValue() + SECOND - 1) / SECOND)
                : null;
    }

    /** Returns the error as JSON in UTF-8. */
    public byte[] toJson() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), bytes)) {
            json.writeStartObject()
                    .writeStringProperty("type", "urn:semel:problem:" + code)
                    .writeStringProperty("title", error)
                    .writeNumberProperty("status", status)
                    .writeStringProperty("detail", detail)
                    .writeStringProperty("code", code)
                    .writeStringProperty("error", error);
            members.forEach((name, value) -> write(json.writeName(name), value));
            json.writeEndObject();
        }
        return bytes.toByteArray();
    }

    private static void write(JsonGenerator json, Object value) {
        if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Iterable<?> items) {
            json.writeStartArray();
            items.forEach(item -> write(json, item));
            json.writeEndArray();
        } else {
            json.writeString(value.toString());
        }
    }
}
