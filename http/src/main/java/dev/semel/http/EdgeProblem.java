package dev.semel.http;

import java.time.Duration;
import java.util.Locale;

/** Every error that the filter answers with, in the order in which they are looked for. The codes never change. */
public enum EdgeProblem {
    /** Nobody knows who asks. */
    UNAUTHENTICATED(401, "Not signed in"),
    /** The route asks for a key. */
    MISSING_IDEMPOTENCY_KEY(400, "Missing Idempotency-Key header"),
    /** The key is empty, too long, has other characters, or is sent twice. */
    INVALID_IDEMPOTENCY_KEY(400, "Invalid Idempotency-Key format"),
    /** The route asks for the client's transaction id. */
    MISSING_CLIENT_TX_ID(400, "Missing X-Client-Tx-Id header"),
    /** The transaction id is empty, too long, has other characters, or is sent twice. */
    INVALID_CLIENT_TX_ID(400, "Invalid X-Client-Tx-Id format"),
    /** The path is too long to be part of a key. */
    INVALID_PATH(400, "Invalid path"),
    /** The body is larger than what is taken. */
    PAYLOAD_TOO_LARGE(413, "Payload too large"),
    /** The body comes so slowly that it holds up others. */
    SLOW_BODY(408, "Request body too slow"),
    /** The body ends before its end, or is not framed as it says. */
    UNREADABLE_BODY(400, "Unreadable request body"),
    /** The key was used for something else. */
    PAYLOAD_MISMATCH(422, "Idempotency key reused with different payload"),
    /** The first one is still running. */
    IN_PROGRESS(409, "Request already being processed"),
    /** The key was used before and is past its time, and such keys are refused. */
    KEY_EXPIRED(410, "Idempotency key expired"),
    /** What became of the first one is unknown, and it must not be run again. */
    OUTCOME_UNKNOWN(409, "Outcome unknown"),
    /** The user has begun as many keys as they may. */
    RATE_LIMITED(429, "Too many new idempotency keys"),
    /** Nothing was executed, or a retry finds out what was. */
    STORE_UNAVAILABLE(503, "Store unavailable"),
    /** It was done, and the answer was too large to keep; the status is that of the answer. */
    RESPONSE_NOT_KEPT(200, "Response not kept");

    private final int status;
    private final String error;

    EdgeProblem(int status, String error) {
        this.status = status;
        this.error = error;
    }

    /** What programs tell it by: its name, in lower case. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As it is answered. */
    public Problem problem() {
        return Problem.of(status, code(), error);
    }

    /** As it is answered where it is worth asking again later, in whole milliseconds, rounded up: who comes early waits twice. */
    public Problem retryAfter(Duration pause) {
        return problem().with(Problem.RETRY_AFTER, pause.plusNanos(999_999).toMillis());
    }
}
