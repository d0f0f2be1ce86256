package dev.semel.outbox;

import dev.semel.json.Json;
import dev.semel.json.MalformedJsonException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request to be added to an outbox. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * OutboxRequest.post("/v1/feed/posts").operation("create_post").lane("ann").json("{\"text\":\"hello\"}")
 * }</pre>
 *
 * @param operation the application's name for what the request does; the method in lower case unless it is given
 * @param method {@code POST}, {@code PUT}, {@code PATCH} or {@code DELETE}
 * @param endpoint a path with an optional query, or an absolute URL
 * @param contentType media type of the payload
 * @param payload the request body, possibly empty
 * @param lane the entries of a lane are sent in order, one at a time
 */
public record OutboxRequest(
        String operation, String method, String endpoint, String contentType, Payload payload, String lane) {

    /** The lane of requests for which no other is chosen. */
    public static final String DEFAULT_LANE = "default";

    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_ENDPOINT = 2048;
    private static final Set<String> METHODS = Set.of("POST", "PUT", "PATCH", "DELETE");
    private static final Pattern MEDIA_TYPE = Pattern.compile("[!-.0-~]+/[!-.0-~]+( *;[ -~]*)?");
    private static final int HIGHEST_PORT = 65_535;
    private static final String JSON = "application/json";
    private static final Payload EMPTY = Payload.of("");

    /**
     * Checks the request.
     *
     * @throws IllegalArgumentException naming what is malformed or too long
     */
    public OutboxRequest {
        checkName("operation", operation);
        checkName("lane", lane);
        checkName("content type", contentType);
        if (!MEDIA_TYPE.matcher(contentType).matches()) {
            throw new IllegalArgumentException(
                    "The content type must be a media type such as application/json, not " + quote(contentType));
        }
        if (!METHODS.contains(method)) {
            throw new IllegalArgumentException("The method must be POST, PUT, PATCH or DELETE, not " + quote(method));
        }
        checkEndpoint(endpoint);
    }

    /** Returns a POST request with an empty payload. */
    public static OutboxRequest post(String endpoint) {
        return of("POST", endpoint);
    }

    /** Returns a PUT request with an empty payload. */
    public static OutboxRequest put(String endpoint) {
        return of("PUT", endpoint);
    }

    /** Returns a PATCH request with an empty payload. */
    public static OutboxRequest patch(String endpoint) {
        return of("PATCH", endpoint);
    }

    /** Returns a DELETE request without a payload. */
    public static OutboxRequest delete(String endpoint) {
        return of("DELETE", endpoint);
    }

    /**
     * Returns a request with an empty payload, in the default lane.
     *
     * @throws IllegalArgumentException if the method or the endpoint is malformed
     */
    public static OutboxRequest of(String method, String endpoint) {
        return new OutboxRequest(method.toLowerCase(Locale.ROOT), method, endpoint, JSON, EMPTY, DEFAULT_LANE);
    }

    /** Returns this request with another name of its operation. */
    public OutboxRequest operation(String operation) {
        return new OutboxRequest(operation, method, endpoint, contentType, payload, lane);
    }

    /** Returns this request in another lane. */
    public OutboxRequest lane(String lane) {
        return new OutboxRequest(operation, method, endpoint, contentType, payload, lane);
    }

    /**
     * Returns this request with a JSON payload.
     *
     * @throws MalformedJsonException if the text is not JSON
     * @throws IllegalArgumentException if it is too long
     */
    public OutboxRequest json(String json) {
        return body(JSON, Payload.of(Json.of(json).bytes()));
    }

    /** Returns this request with a payload of any media type. */
    public OutboxRequest body(String contentType, Payload payload) {
        return new OutboxRequest(operation, method, endpoint, contentType, payload, lane);
    }

    private static void checkName(String field, String text) {
        int length = text.codePointCount(0, text.length());
        if (length < 1 || length > LONGEST_NAME) {
            throw new IllegalArgumentException(
                    "The " + field + " must have 1 to " + LONGEST_NAME + " characters, not " + length);
        }
        boolean unreadable = text.codePoints().anyMatch(c -> Character.isISOControl(c) || (c >= 0xD800 && c <= 0xDFFF));
        if (unreadable) {
            throw new IllegalArgumentException(
                    "The " + field + " must not contain control characters or halves of surrogate pairs");
        }
    }

    private static void checkEndpoint(String endpoint) {
        if (endpoint.length() > LONGEST_ENDPOINT) {
            throw new IllegalArgumentException(
                    "The endpoint has " + endpoint.length() + " characters; the most is " + LONGEST_ENDPOINT);
        }
        try {
            URI uri = new URI(endpoint);
            boolean isAscii = endpoint.chars().allMatch(c -> c > ' ' && c <= '~');
            if (isAscii && (isPath(uri) || isUrl(uri)) && uri.getRawFragment() == null) {
                return;
            }
        } catch (URISyntaxException e) {
            throw invalidEndpoint(endpoint, e);
        }
        throw invalidEndpoint(endpoint, null);
    }

    private static boolean isPath(URI uri) {
        return uri.getScheme() == null
                && uri.getRawAuthority() == null
                && uri.getRawPath().startsWith("/");
    }

    private static boolean isUrl(URI uri) {
        boolean isHttp = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
        return isHttp && uri.getHost() != null && uri.getPort() <= HIGHEST_PORT && uri.getRawUserInfo() == null;
    }

    private static IllegalArgumentException invalidEndpoint(String endpoint, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "The endpoint must be a path such as /v1/feed/posts, or an http or https URL without user and fragment, in ASCII, not "
                        + quote(endpoint),
                cause);
    }

    private static String quote(String text) {
        return "'" + (text.length() <= 60 ? text : text.substring(0, 60) + "…") + "'";
    }
}
