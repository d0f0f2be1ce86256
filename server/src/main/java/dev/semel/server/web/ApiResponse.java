package dev.semel.server.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The response to a request that succeeded; everything else is a {@link ProblemException}.
 *
 * @param status the HTTP status, below 400
 * @param headers by name
 * @param body the bytes
 * @param stream what comes instead of the bytes, for as long as there is something to come; or null
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and nobody writes into it
public record ApiResponse(
        int status, Map<String, String> headers, byte[] body, StreamingResponse.@Nullable Source stream) {

    private static final String CONTENT_TYPE = "Content-Type";

    /** An answer that is known whole. */
    public ApiResponse(int status, Map<String, String> headers, byte[] body) {
        this(status, headers, body, null);
    }

    /** Events as browsers read them, with status 200, for as long as there are some to come. */
    public static ApiResponse events(StreamingResponse.Source stream) {
        // proxies that know the header send on at once what they get
        Map<String, String> headers = Map.of(CONTENT_TYPE, "text/event-stream", "X-Accel-Buffering", "no");
        return new ApiResponse(200, headers, new byte[0], stream);
    }

    /** JSON with status 200. */
    public static ApiResponse ok(JsonNode body) {
        return json(200, body);
    }

    /** JSON with status 201. */
    public static ApiResponse created(JsonNode body) {
        return json(201, body);
    }

    /** JSON with status 202: it will be done. */
    public static ApiResponse accepted(JsonNode body) {
        return json(202, body);
    }

    private static ApiResponse json(int status, JsonNode body) {
        return new ApiResponse(status, Map.of(CONTENT_TYPE, "application/json"), JsonText.bytes(body));
    }

    /** A page for people. */
    public static ApiResponse html(String page) {
        return new ApiResponse(200, Map.of(CONTENT_TYPE, "text/html;charset=utf-8"), page.getBytes(UTF_8));
    }

    /** Nothing, with status 204. */
    public static ApiResponse nothing() {
        return new ApiResponse(204, Map.of(), new byte[0]);
    }

    /** The same with one more header. */
    public ApiResponse with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new ApiResponse(status, more, body, stream);
    }
}
