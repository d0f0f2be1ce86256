package dev.semel.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Fingerprint;
import dev.semel.json.MalformedJsonException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads request bodies and computes their fingerprints. */
public final class Payload {

    private final byte @Nullable [] body;
    private final Fingerprint fingerprint;

    private static final byte[] NOTHING = {};
    private static final Fingerprint OF_NOTHING = Fingerprint.ofBytes(NOTHING);

    /** Allocated for a body before its first byte arrives. */
    private static final int FIRST = 8 << 10;

    /** The header {@code Content-Type}. */
    public static final String CONTENT_TYPE = "Content-Type";

    private static final String JSON = "application/json";
    private static final String JSON_SUFFIX = "+json";

    /** The time before the rate of a body is checked. */
    private static final long GRACE_NANOS = 10_000_000_000L;

    private static final long LEAST_BYTES_A_SECOND = 500;

    /** The longest time that a body may take. */
    private static final long MOST_NANOS = 60_000_000_000L;

    private Payload(byte @Nullable [] body, Fingerprint fingerprint) {
        this.body = body;
        this.fingerprint = fingerprint;
    }

    /** Returns the body; null if it was parsed instead of read. */
    byte @Nullable [] body() {
        return body;
    }

    /** Returns the fingerprint of body and query. */
    Fingerprint fingerprint() {
        return fingerprint;
    }

    /**
     * Reads the payload of a request: its parts, its body, or the parameters that a filter in front has taken from the body.
     *
     * @throws RejectedException if it exceeds the limit, arrives too slowly, or is not complete
     */
    static Payload of(WebRequest request, int limit) throws RejectedException {
        requireFits(request.contentLength(), limit);
        byte[] parts = parts(request, limit);
        if (parts != null) {
            return ofEncoded(parts, request);
        }
        byte[] body = read(request, limit);
        byte[] form = body.length == 0 ? request.form(limit) : null;
        if (form != null) {
            return ofEncoded(form, request);
        }
        requireComplete(request, body);
        return new Payload(body, fingerprint(request, body));
    }

    /** Returns the payload of a request whose body was parsed, so that it cannot be read. */
    private static Payload ofEncoded(byte[] encoded, WebRequest request) {
        return new Payload(null, withQuery(Fingerprint.ofBytes(encoded), request.query()));
    }

    private static byte @Nullable [] parts(WebRequest request, int limit) throws RejectedException {
        try {
            return request.parts(limit);
        } catch (IOException e) {
            throw new RejectedException(IdempotencyProblem.UNREADABLE_BODY);
        }
    }

    private static void requireFits(long length, int limit) throws RejectedException {
        if (length > limit) {
            throw new RejectedException(IdempotencyProblem.PAYLOAD_TOO_LARGE);
        }
    }

    /**
     * Rejects a body of which a filter in front has read a part: different payloads would have the same fingerprint. A body that is sent
     * compressed may be shorter than announced because a filter in front inflates it. An empty chunked body is rejected because a filter
     * in front may have read it, which no method of a request reports.
     */
    private static void requireComplete(WebRequest request, byte[] body) throws RejectedException {
        boolean isShort = body.length < request.contentLength()
                && (body.length == 0 || request.header("Content-Encoding") == null);
        boolean isHeadless =
                isMultipart(request.header(CONTENT_TYPE)) && !(body.length > 1 && body[0] == '-' && body[1] == '-');
        if (isShort || isHeadless) {
            throw incomplete("The body is not complete: " + body.length
                    + " bytes are left of it. A filter in front of the idempotency filter may have read it.");
        }
        if (body.length == 0 && request.header("Transfer-Encoding") != null) {
            throw incomplete(
                    "The body is empty, although the request has the header Transfer-Encoding. A filter in front of the"
                            + " idempotency filter may have read it. If the request has no body, send Content-Length: 0.");
        }
    }

    private static RejectedException incomplete(String detail) {
        return new RejectedException(
                IdempotencyProblem.UNREADABLE_BODY.problem().detailed(detail));
    }

    /**
     * Reads a body to its end. Blocks until it is complete.
     *
     * @param limit the largest size in bytes
     * @throws RejectedException if the body exceeds the limit, arrives too slowly, or is truncated
     */
    public static byte[] read(WebRequest request, int limit) throws RejectedException {
        long announced = request.contentLength();
        requireFits(announced, limit);
        try {
            return read(request.body(), announced, limit);
        } catch (IOException e) {
            throw new RejectedException(IdempotencyProblem.UNREADABLE_BODY);
        }
    }

    /** Reads to the end of the stream: a filter in front may have changed the body, and with it the length. */
    private static byte[] read(InputStream in, long announced, int limit) throws IOException, RejectedException {
        int most = limit + 1;
        long first = announced < 0 ? FIRST : Math.min(announced + 1, FIRST); // one byte more, to see the end
        byte[] bytes = new byte[(int) Math.min(first, most)];
        int length = 0;
        long startedAt = System.nanoTime();
        while (true) {
            int count = in.read(bytes, length, bytes.length - length);
            if (count < 0) {
                return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
            }
            length += count;
            if (length > limit) {
                throw new RejectedException(IdempotencyProblem.PAYLOAD_TOO_LARGE);
            }
            if (isTooSlow(length, System.nanoTime() - startedAt)) {
                throw new RejectedException(IdempotencyProblem.SLOW_BODY);
            }
            if (length == bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(most, Math.max(FIRST, 2L * length)));
            }
        }
    }

    /** Returns whether a body is slower than the minimum rate. */
    static boolean isTooSlow(int length, long nanos) {
        return nanos > MOST_NANOS || (nanos > GRACE_NANOS && length < nanos / 1_000_000_000L * LEAST_BYTES_A_SECOND);
    }

    /**
     * Returns the fingerprint of a request. It covers the body, as canonical JSON or else as bytes, and the query. Without a query it is
     * the fingerprint of the body alone, as the command line prints it.
     */
    static Fingerprint fingerprint(WebRequest request, byte[] body) {
        return withQuery(fingerprint(request.header(CONTENT_TYPE), body), request.query());
    }

    private static Fingerprint withQuery(Fingerprint ofBody, @Nullable String query) {
        if (query == null || query.isEmpty()) {
            return ofBody;
        }
        byte[] hash = ofBody.bytes();
        byte[] text = query.getBytes(UTF_8);
        byte[] both = Arrays.copyOf(hash, hash.length + text.length);
        System.arraycopy(text, 0, both, hash.length, text.length);
        return Fingerprint.ofBytes(both);
    }

    private static Fingerprint fingerprint(@Nullable String contentType, byte[] body) {
        if (body.length == 0) {
            return OF_NOTHING;
        }
        if (mayBeJson(contentType, body)) {
            try {
                return Fingerprint.ofJson(body);
            } catch (MalformedJsonException e) {
                return Fingerprint.ofBytes(body);
            }
        }
        return Fingerprint.ofBytes(body);
    }

    /** Many clients send JSON objects and arrays with another content type. Other JSON values, such as 1 and 1.0, may differ as text. */
    private static boolean mayBeJson(@Nullable String contentType, byte[] body) {
        return contentType == null || isJson(contentType) || body[0] == '{' || body[0] == '[';
    }

    /** Returns whether a content type is that of a form with files, {@code multipart/form-data}. */
    public static boolean isMultipart(@Nullable String contentType) {
        return contentType != null && mediaType(contentType).equalsIgnoreCase("multipart/form-data");
    }

    /** Returns whether a content type is that of a form, {@code application/x-www-form-urlencoded}. */
    public static boolean isForm(@Nullable String contentType) {
        return contentType != null && mediaType(contentType).equalsIgnoreCase("application/x-www-form-urlencoded");
    }

    private static String mediaType(String contentType) {
        int semicolon = contentType.indexOf(';');
        return (semicolon < 0 ? contentType : contentType.substring(0, semicolon)).strip();
    }

    /** Returns whether a content type is JSON, whose default encoding is UTF-8. */
    public static boolean isJson(String contentType) {
        String type = mediaType(contentType);
        int suffix = type.length() - JSON_SUFFIX.length();
        return type.equalsIgnoreCase(JSON)
                || (suffix > 0 && type.regionMatches(true, suffix, JSON_SUFFIX, 0, JSON_SUFFIX.length()));
    }
}
