package dev.semel.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What an operation answers, and what every retry is answered: a status, some headers, and bytes. */
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

    /** An answer with a status, headers and a body, whatever they mean to those who speak with each other. */
    public static Response of(int status, Map<String, String> headers, byte[] body) {
        return new Response(status, Map.copyOf(headers), body.clone(), false, true);
    }

    /** A text with status 200 and no headers. */
    public static Response of(String text) {
        return new Response(OK, Map.of(), text.getBytes(UTF_8), false, true);
    }

    /** This answer as a refusal: final as any other, but nothing that the operation wrote stays. */
    public Response asRefusal() {
        return new Response(status, headers, body, true, kept);
    }

    /** What is left of this answer when it is too large to keep: its status, and that there was more. */
    public Response notKept() {
        return new Response(status, Map.of(), NOTHING, refusal, false);
    }

    public int status() {
        return status;
    }

    public Map<String, String> headers() {
        return headers;
    }

    /** A copy of the bytes. */
    public byte[] body() {
        return body.clone();
    }

    /** The bytes as UTF-8 text. */
    public String text() {
        return new String(body, UTF_8);
    }

    /** Whether the operation refused to do what it was asked. */
    public boolean isRefusal() {
        return refusal;
    }

    /** Whether the body and the headers are here; if not, they were too large to keep. */
    public boolean isKept() {
        return kept;
    }

    /** How much there is to keep: the bytes of the body and the characters of the headers. */
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

    /** Never the body: it may be somebody's data, and this may end up in a log. */
    @Override
    public String toString() {
        return "Response[" + status + (refusal ? ", refusal" : "")
                + (kept ? ", " + body.length + " bytes" : ", not kept") + "]";
    }
}
