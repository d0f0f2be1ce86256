package dev.semel.http;

import java.time.Duration;
import java.util.Locale;

/** The errors of requests with a key, in order of precedence. */
public enum IdempotencyProblem {
    /** The request has no authenticated user. */
    UNAUTHENTICATED(401, "Not signed in"),
    /** The user is known, but the name is too long, contains control characters, or is a relative path. */
    INVALID_USER(400, "Invalid user name"),
    /** The route requires a key. */
    MISSING_IDEMPOTENCY_KEY(400, "Missing Idempotency-Key header"),
    /** The key is empty, too long, has other characters, or is sent twice. */
    INVALID_IDEMPOTENCY_KEY(400, "Invalid Idempotency-Key format"),
    /** The route requires the client's transaction id. */
    MISSING_CLIENT_TX_ID(400, "Missing X-Client-Tx-Id header"),
    /** The transaction id is empty, too long, has other characters, or is sent twice. */
    INVALID_CLIENT_TX_ID(400, "Invalid X-Client-Tx-Id format"),
    /** The path is too long to be part of a key. */
    INVALID_PATH(400, "Invalid path"),
    /** The body is larger than the limit. */
    PAYLOAD_TOO_LARGE(413, "Payload too large"),
    /** The body is sent too slowly. */
    SLOW_BODY(408, "Request body too slow"),
    /** The body is truncated or its framing is malformed. */
    UNREADABLE_BODY(400, "Unreadable request body"),
    /** The key was used with another payload. */
    PAYLOAD_MISMATCH(422, "Idempotency key reused with different payload"),
    /** The first request is in progress. */
    IN_PROGRESS(409, "Request already being processed"),
    /** The key was used before and has expired, and the settings reject such keys. */
    KEY_EXPIRED(410, "Idempotency key expired"),
    /** The outcome of the first request is unknown, and it must not be run again. */
    OUTCOME_UNKNOWN(409, "Outcome unknown"),
    /** The user has started as many new keys as the quota allows. */
    RATE_LIMITED(429, "Too many new idempotency keys"),
    /** Nothing was executed, or a retry resolves the outcome. */
    STORE_UNAVAILABLE(503, "Store unavailable"),
    /** The request was executed, and its response was too large to keep; the status is that of the response. */
    RESPONSE_NOT_KEPT(200, "Response not kept");

    private final int status;
    private final String error;

    IdempotencyProblem(int status, String error) {
        this.status = status;
        this.error = error;
    }

    /** Returns the stable code for programs: the name in lower case. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the error response. */
    public Problem problem() {
        return Problem.of(status, code(), error);
    }

    /** Returns the error response with the time after which a retry may succeed, rounded up to whole milliseconds. */
    public Problem retryAfter(Duration time) {
        return problem().with(Problem.RETRY_AFTER, time.plusNanos(999_999).toMillis());
    }
}
