package dev.semel.outbox;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A request in an outbox.
 *
 * @param id identifies the entry in its outbox; ids sort by the time at which the entries were added
 * @param idempotencyKey sent as {@code Idempotency-Key} in every attempt
 * @param clientTxId sent as {@code X-Client-Tx-Id} in every attempt
 * @param operation the application's name for what the request does, such as {@code create_post}
 * @param method the HTTP method, such as {@code POST}
 * @param endpoint a path, which is resolved against the API's address when it is sent, or an absolute URL
 * @param contentType media type of the payload
 * @param payload the request body
 * @param lane the entries of a lane are sent in order, one at a time
 * @param status whether the entry waits to be sent, has failed, or is confirmed
 * @param retryCount how many attempts have ended without a final result
 * @param nextRetryAt when the entry may be sent
 * @param createdAt when the entry was added
 * @param firstSentAt when the first attempt started, or an earlier time if that is not known exactly; null if there was none
 * @param reason why the last attempt was not confirmed; null if there was none, or if a person has decided that the entry is sent again
 * @param lastError why the last attempt was not confirmed, in a sentence; null if there was none
 * @param response the API's final response; null if there is none
 */
public record OutboxEntry(
        String id,
        String idempotencyKey,
        String clientTxId,
        String operation,
        String method,
        String endpoint,
        String contentType,
        Payload payload,
        String lane,
        Status status,
        int retryCount,
        Instant nextRetryAt,
        Instant createdAt,
        @Nullable Instant firstSentAt,
        @Nullable Reason reason,
        @Nullable String lastError,
        @Nullable Response response) {

    /** Whether an entry waits, has failed, or is confirmed. */
    public enum Status {
        /** The entry waits to be sent, or to be sent again. */
        PENDING,

        /** The entry will not be sent again, unless a person decides so. It stops its lane. */
        FAILED,

        /** The API has confirmed that it has processed the request. */
        CONFIRMED;

        /** Returns the name in lower case, as in JSON and on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A response of the API.
     *
     * @param status the HTTP status
     * @param body the start of the body, as text
     */
    public record Response(int status, String body) {

        /** Returns a text without the body, which is private: it may be logged. */
        @Override
        public String toString() {
            return "Response[" + status + ", " + body.length() + " characters]";
        }
    }

    OutboxEntry sentAt(Instant time) {
        return with(status, retryCount, nextRetryAt, time, reason, lastError, response);
    }

    OutboxEntry confirmed(Response response) {
        return with(Status.CONFIRMED, retryCount, nextRetryAt, firstSentAt, null, null, response);
    }

    OutboxEntry retried(Instant at, Reason reason, String error) {
        return with(Status.PENDING, retryCount + 1, at, firstSentAt, reason, error, null);
    }

    OutboxEntry failed(Reason reason, String error, @Nullable Response response) {
        return with(Status.FAILED, retryCount, nextRetryAt, firstSentAt, reason, error, response);
    }

    private OutboxEntry with(
            Status status,
            int retryCount,
            Instant nextRetryAt,
            @Nullable Instant firstSentAt,
            @Nullable Reason reason,
            @Nullable String lastError,
            @Nullable Response response) {
        return new OutboxEntry(
                id,
                idempotencyKey,
                clientTxId,
                operation,
                method,
                endpoint,
                contentType,
                payload,
                lane,
                status,
                retryCount,
                nextRetryAt,
                createdAt,
                firstSentAt,
                reason,
                lastError,
                response);
    }

    /** Returns a text without key, payload and response, which are private: it may be logged. */
    @Override
    public String toString() {
        return "OutboxEntry[" + id + ", " + method + " " + endpoint + ", lane " + lane + ", " + status + "]";
    }
}
