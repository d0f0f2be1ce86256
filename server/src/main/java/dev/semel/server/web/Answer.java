package dev.semel.server.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a request is answered when it did what it was asked; everything else is a {@link Refusal}.
 *
 * @param status the HTTP status, below 400
 * @param headers by name
 * @param body the bytes
 * @param stream what comes instead of the bytes, for as long as there is something to come; or null
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and nobody writes into it
public record Answer(int status, Map<String, String> headers, byte[] body, Outflow.@Nullable Source stream) {

    private static final String CONTENT_TYPE = "Content-Type";

    /** An answer that is known whole. */
    public Answer(int status, Map<String, String> headers, byte[] body) {
        this(status, headers, body, null);
    }

    /** Events as browsers read them, with status 200, for as long as there are some to come. */
    public static Answer events(Outflow.Source stream) {
        // proxies that know the header send on at once what they get
        Map<String, String> headers = Map.of(CONTENT_TYPE, "text/event-stream", "X-Accel-Buffering", "no");
        return new Answer(200, headers, new byte[0], stream);
    }

    /** JSON with status 200. */
    public static Answer ok(JsonNode body) {
        return json(200, body);
    }

    /** JSON with status 201. */
    public static Answer created(JsonNode body) {
        return json(201, body);
    }

    /** JSON with status 202: it will be done. */
    public static Answer accepted(JsonNode body) {
        return json(202, body);
    }

    private static Answer json(int status, JsonNode body) {
        return new Answer(status, Map.of(CONTENT_TYPE, "application/json"), JsonText.bytes(body));
    }

    /** A page for people. */
    public static Answer html(String page) {
        return new Answer(200, Map.of(CONTENT_TYPE, "text/html;charset=utf-8"), page.getBytes(UTF_8));
    }

    /** Nothing, with status 204. */
    public static Answer nothing() {
        return new Answer(204, Map.of(), new byte[0]);
    }

    /** The same with one more header. */
    public Answer with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new Answer(status, more, body, stream);
    }
}
