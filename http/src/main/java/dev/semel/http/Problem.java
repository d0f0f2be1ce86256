package dev.semel.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * An error as it is answered, after RFC 9457. It never holds what a request held beyond names of its parts, and nothing of
 * anybody else.
 *
 * @param status the HTTP status
 * @param code what programs tell it by; never changes
 * @param error what people are told, the same for every such error
 * @param detail what went wrong this time
 * @param members what else is told: texts, numbers and booleans by name
 */
public record Problem(int status, String code, String error, String detail, Map<String, Object> members) {

    /** What its bytes are called. */
    public static final String CONTENT_TYPE = "application/problem+json";

    /** The member that says in how many milliseconds it is worth asking again. */
    public static final String RETRY_AFTER = "retry_after";

    private static final long SECOND = 1_000;

    private static final int MOST_THROWN_AWAY = 16 << 20;
    private static final JsonFactory JSON = new JsonFactory();

    public Problem {
        members = Map.copyOf(members);
    }

    /** An error of which nothing more is to be said. */
    public static Problem of(int status, String code, String error) {
        return new Problem(status, code, error, error, Map.of());
    }

    /** The same, with what went wrong this time. */
    public Problem detailed(String detail) {
        return new Problem(status, code, error, detail, members);
    }

    /** The same, with another status. */
    public Problem withStatus(int status) {
        return new Problem(status, code, error, detail, members);
    }

    /** The same, and one thing more. */
    public Problem with(String member, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(members);
        more.put(member, value);
        return new Problem(status, code, error, detail, more);
    }

    /**
     * Answers with it; a {@link #RETRY_AFTER} is told in the header as well, in whole seconds rounded up. Its length is left to the server:
     * who says it sends it at once, before the server knows whether it has to close the connection since the body was not read.
     */
    public void send(HttpServletResponse response) throws IOException {
        byte[] json = toJson();
        response.setStatus(status);
        response.setContentType(CONTENT_TYPE);
        if (members.get(RETRY_AFTER) instanceof Number millis) {
            response.setHeader("Retry-After", Long.toString((millis.longValue() + SECOND - 1) / SECOND));
        }
        response.getOutputStream().write(json);
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

    /**
     * Answers with it a client that may not have sent all of its body: most look for an answer only when they have, so it is read and
     * thrown away, up to {@value #MOST_THROWN_AWAY} bytes.
     */
    public void sendUnread(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Connection", "close");
        response.setContentLength(toJson().length); // so that the client knows its end when it comes
        send(response);
        response.flushBuffer();
        if (request.getHeader("Expect") == null) {
            byte[] buffer = new byte[8 << 10];
            InputStream body = request.getInputStream();
            for (int read = 0, count = 0; count >= 0 && read < MOST_THROWN_AWAY; read += count) {
                count = body.read(buffer);
            }
        }
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
