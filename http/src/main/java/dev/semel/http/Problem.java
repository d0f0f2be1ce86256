package dev.semel.http;

import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * An error response by RFC 9457. It holds nothing of the request but names of its parts, and no data of other users.
 *
 * @param status the HTTP status
 * @param code identifies the error to programs; never changes
 * @param error describes it to people, the same for every such error
 * @param detail what went wrong this time
 * @param members further members by name: texts, numbers and booleans
 */
public record Problem(int status, String code, String error, String detail, Map<String, Object> members) {

    /** The media type. */
    public static final String CONTENT_TYPE = "application/problem+json";

    /** The member with the time in milliseconds after which a retry may succeed. */
    public static final String RETRY_AFTER = "retry_after";

    private static final long SECOND = 1_000;

    private static final JsonFactory JSON = new JsonFactory();

    public Problem {
        members = Map.copyOf(members);
    }

    /** An error whose detail is the error itself. */
    public static Problem of(int status, String code, String error) {
        return new Problem(status, code, error, error, Map.of());
    }

    /** The same, with another detail. */
    public Problem detailed(String detail) {
        return new Problem(status, code, error, detail, members);
    }

    /** The same, with another status. */
    public Problem withStatus(int status) {
        return new Problem(status, code, error, detail, members);
    }

    /** The same, with a further member. */
    public Problem with(String member, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(members);
        more.put(member, value);
        return new Problem(status, code, error, detail, more);
    }

    /** Value of the header {@code Retry-After}: {@link #RETRY_AFTER} in whole seconds, rounded up; null if there is none. */
    public @Nullable String retryAfterSeconds() {
        return members.get(RETRY_AFTER) instanceof Number millis
                ? Long.toString((millis.longValue() + SECOND - 1) / SECOND)
                : null;
    }

    /** As JSON, in UTF-8. */
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
        } else {
            json.writeString(value.toString());
        }
    }
}
