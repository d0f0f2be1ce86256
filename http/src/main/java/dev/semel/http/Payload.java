package dev.semel.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Fingerprint;
import dev.semel.json.MalformedJsonException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The body of a request: read whole, and its fingerprint. */
public final class Payload {

    private static final byte[] NOTHING = {};
    private static final Fingerprint OF_NOTHING = Fingerprint.ofBytes(NOTHING);

    /** As much as is allocated for a body before any of it has come. */
    private static final int FIRST = 8 << 10;

    /** The header that says what a body is. */
    public static final String CONTENT_TYPE = "Content-Type";

    private static final String JSON = "application/json";
    private static final String JSON_SUFFIX = "+json";

    /** How long a body may take before its rate is checked. */
    private static final long GRACE_NANOS = 10_000_000_000L;

    private static final long LEAST_BYTES_A_SECOND = 500;

    /** How long any body may take. */
    private static final long MOST_NANOS = 60_000_000_000L;

    private Payload() {}

    /**
     * Reads a body, and no more of it than shows that it is too large.
     *
     * @throws RejectedException if it is too large, comes too slowly, or breaks off
     */
    public static byte[] read(WebRequest request, int limit) throws RejectedException {
        long announced = request.contentLength();
        if (announced > limit) {
            throw new RejectedException(IdempotencyProblem.PAYLOAD_TOO_LARGE);
        }
        try {
            return announced == 0 ? NOTHING : read(request.body(), announced, limit);
        } catch (IOException e) {
            throw new RejectedException(IdempotencyProblem.UNREADABLE_BODY);
        }
    }

    private static byte[] read(InputStream in, long announced, int limit) throws IOException, RejectedException {
        int most = announced > 0 ? (int) announced : limit + 1;
        byte[] bytes = new byte[Math.min(most, FIRST)];
        int length = 0;
        long startedAt = System.nanoTime();
        while (true) {
            int count = in.read(bytes, length, bytes.length - length);
            if (count < 0) {
                return Arrays.copyOf(bytes, length);
            }
            length += count;
            if (length > limit) {
                throw new RejectedException(IdempotencyProblem.PAYLOAD_TOO_LARGE);
            }
            if (isTooSlow(length, System.nanoTime() - startedAt)) {
                throw new RejectedException(IdempotencyProblem.SLOW_BODY);
            }
            if (length < bytes.length) {
                continue;
            }
            if (length == announced) {
                return bytes;
            }
            bytes = Arrays.copyOf(bytes, (int) Math.min(most, 2L * length));
        }
    }

    /** Whether a body of which so much came in such a time is slower than the least rate. */
    static boolean isTooSlow(int length, long nanos) {
        return nanos > MOST_NANOS || (nanos > GRACE_NANOS && length < nanos / 1_000_000_000L * LEAST_BYTES_A_SECOND);
    }

    /**
     * Fingerprint of a request: of the body as canonical JSON, or of its bytes if it is not JSON, and of the bytes of the query. Without
     * a query it is that of the body alone, as the command line prints it.
     */
    static Fingerprint fingerprint(WebRequest request, byte[] body) {
        Fingerprint ofBody = fingerprint(request.header(CONTENT_TYPE), body);
        String query = request.query();
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

    /** What says that it is something else may still be an object or an array: many clients do not say. But 1 and 1.0 may differ there. */
    private static boolean mayBeJson(@Nullable String contentType, byte[] body) {
        return contentType == null || isJson(contentType) || body[0] == '{' || body[0] == '[';
    }

    /** Whether a content type is JSON, which is UTF-8 if nothing else is said. */
    public static boolean isJson(String contentType) {
        int semicolon = contentType.indexOf(';');
        String type = (semicolon < 0 ? contentType : contentType.substring(0, semicolon)).strip();
        int suffix = type.length() - JSON_SUFFIX.length();
        return type.equalsIgnoreCase(JSON)
                || (suffix > 0 && type.regionMatches(true, suffix, JSON_SUFFIX, 0, JSON_SUFFIX.length()));
    }
}
