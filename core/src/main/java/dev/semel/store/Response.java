package dev.semel.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The response of an operation, which is recorded and replayed to retries: a status, headers and a body. An operation that is not behind
 * HTTP uses a text or bytes alone.
 */
public final class Response {

    private static final int OK = 200;
    private static final byte[] NOTHING = {};

    private final int status;
    private final Map<String, String> headers;
    private final byte[] body;
    private final boolean refusal;
    private final boolean kept;

    private Response(int status, Map<String, String> headers, byte[] body, boolean refusal, boolean kept) {
        this.status = status;
        this.headers = headers;
        this.body = body;
        this.refusal = refusal;
        this.kept = kept;
    }

    /** Returns a response with a status, headers and a body. */
    public static Response of(int status, Map<String, String> headers, byte[] body) {
        return new Response(status, Map.copyOf(headers), body.clone(), false, true);
    }

    /** Returns a response with status 200, no headers, and a text as its body. */
    public static Response of(String text) {
        return new Response(OK, Map.of(), text.getBytes(UTF_8), false, true);
    }

    /** Returns this response as a refusal. It is recorded and replayed as any other, but the writes of the operation are discarded. */
    public Response asRefusal() {
        return new Response(status, headers, body, true, kept);
    }

    /** Returns what is recorded of a response that is too large to keep: its status, and that it was not kept. */
    public Response notKept() {
        return new Response(status, Map.of(), NOTHING, refusal, false);
    }

    /** Returns the status, such as an HTTP status code. */
    public int status() {
        return status;
    }

    /** Returns the headers by their names. */
    public Map<String, String> headers() {
        return headers;
    }

    /** Returns a copy of the body. */
    public byte[] body() {
        return body.clone();
    }

    /** Returns the body, decoded as UTF-8. */
    public String text() {
        return new String(body, UTF_8);
    }

    /** Whether this is a {@linkplain #asRefusal() refusal}. */
    public boolean isRefusal() {
        return refusal;
    }

    /** Whether headers and body are here; false if they were too large to keep. */
    public boolean isKept() {
        return kept;
    }

    /** Returns whether the body or the headers exceed a limit in bytes. */
    public boolean exceeds(int limit) {
        return body.length > limit || size() - body.length > limit;
    }

    /** Returns the size: the bytes of the body and the characters of the headers. */
    public long size() {
        long size = body.length;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            size += header.getKey().length() + header.getValue().length();
        }
        return size;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Response that
                && status == that.status
                && refusal == that.refusal
                && kept == that.kept
                && headers.equals(that.headers)
                && Arrays.equals(body, that.body);
    }

    @Override
    public int hashCode() {
        return Objects.hash(status, headers, Arrays.hashCode(body), refusal, kept);
    }

    /** Returns a text without headers and body, which are private: it may be logged. */
    @Override
    public String toString() {
        return "Response[" + status + (refusal ? ", refusal" : "")
                + (kept ? ", " + body.length + " bytes" : ", not kept") + "]";
    }
}
