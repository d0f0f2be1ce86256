package dev.semel.server.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The response to a successful request. All other responses are {@link ProblemException}s.
 *
 * @param status the HTTP status, below 400
 * @param headers the headers by name
 * @param body the bytes of the body; empty if there is a stream
 * @param stream the source of a streamed body, or null
 */
@SuppressWarnings("ArrayRecordComponent") // never compared or modified
public record ApiResponse(
        int status, Map<String, String> headers, byte[] body, StreamingResponse.@Nullable Source stream) {

    private static final String CONTENT_TYPE = "Content-Type";

    /** Creates a response that is not streamed. */
    public ApiResponse(int status, Map<String, String> headers, byte[] body) {
        this(status, headers, body, null);
    }

    /** Returns a stream of server-sent events with status 200. */
    public static ApiResponse events(StreamingResponse.Source stream) {
        // the header disables buffering in some proxies
        Map<String, String> headers = Map.of(CONTENT_TYPE, "text/event-stream", "X-Accel-Buffering", "no");
        return new ApiResponse(200, headers, new byte[0], stream);
    }

    /** Returns a JSON response with status 200. */
    public static ApiResponse ok(JsonNode body) {
        return json(200, body);
    }

    /** Returns a JSON response with status 201. */
    public static ApiResponse created(JsonNode body) {
        return json(201, body);
    }

    /** Returns a JSON response with status 202. */
    public static ApiResponse accepted(JsonNode body) {
        return json(202, body);
    }

    private static ApiResponse json(int status, JsonNode body) {
        return new ApiResponse(status, Map.of(CONTENT_TYPE, "application/json"), JsonText.bytes(body));
    }

    /** Returns an HTML page with status 200. */
    public static ApiResponse html(String page) {
        return new ApiResponse(200, Map.of(CONTENT_TYPE, "text/html;charset=utf-8"), page.getBytes(UTF_8));
    }

    /** Returns a response with status 204 and no body. */
    public static ApiResponse nothing() {
        return new ApiResponse(204, Map.of(), new byte[0]);
    }

    /** Returns this response with an additional header. */
    public ApiResponse with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new ApiResponse(status, more, body, stream);
    }
}
