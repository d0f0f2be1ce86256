package dev.semel.store.spi;

import dev.semel.json.Fingerprint;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An idempotency record: the stored state of an operation. Made with a {@link Builder}.
 *
 * @param key identifies the operation
 * @param clientTxId the client's transaction id
 * @param fingerprint of the payload; never the payload itself
 * @param status the stored status; {@link #statusAt} returns the status at a given time
 * @param ifAbandoned what a retry does after the owner crashed; null for an atomic operation, which has no owner
 * @param attempts how often the operation was started
 * @param commitId id of the commit that wrote the record last
 * @param fencingToken rises with each start of this key; an owner with a lower one has lost its lease
 * @param createdAt when the key was first used
 * @param deadline while the operation is in progress, when its lease expires; afterwards, when the record expires; null if never
 * @param purgeAt when the record may be purged; null if never. From its deadline until then it is a tombstone, which shows that there was
 *     an operation and how it ended
 * @param response the recorded response of a completed operation; absent from a tombstone
 * @param outcome the status of the response, also after the response was deleted, or that of the response with which the operation failed;
 *     null if there was none, or if the operation has not ended
 * @param cause why the operation failed, on one line of at most {@value #LONGEST_CAUSE} characters; null unless it failed
 */
public record IdempotencyRecord(
        IdempotencyKey key,
        String clientTxId,
        Fingerprint fingerprint,
        Status status,
        @Nullable IfAbandoned ifAbandoned,
        int attempts,
        String commitId,
        long fencingToken,
        Instant createdAt,
        @Nullable Instant deadline,
        @Nullable Instant purgeAt,
        @Nullable Response response,
        @Nullable Integer outcome,
        @Nullable String cause) {

    /** The most characters of a cause. */
    public static final int LONGEST_CAUSE = 200;

    /**
     * Keeps outcome and cause consistent with status and response, so that a key that starts again has neither. A cause that is too long is
     * cut, and its control characters become spaces.
     */
    public IdempotencyRecord {
        boolean ended = status == Status.COMPLETED || status == Status.FAILED;
        outcome = response != null ? (Integer) response.status() : ended ? outcome : null;
        cause = status == Status.FAILED && cause != null ? OneLine.of(cause, LONGEST_CAUSE) : null;
    }

    /** The stored status of an operation. */
    public enum Status {

        /** The operation was started, and its owner has a lease. */
        PROCESSING,

        /** The operation completed or refused, and its response is recorded. */
        COMPLETED,

        /** The operation failed; a retry runs it again. */
        FAILED,

        /** The owner crashed, and the operation must not be run again until an operator resolves it. Never expires. */
        UNKNOWN,
    }

    /** Returns a builder of a record of a key. */
    public static Builder builder(IdempotencyKey key, String clientTxId, Fingerprint fingerprint) {
        return new Builder(key, clientTxId, fingerprint);
    }

    /** Returns a builder of a copy of this record. */
    public Builder toBuilder() {
        return new Builder(key, clientTxId, fingerprint)
                .status(status)
                .ifAbandoned(ifAbandoned)
                .attempts(attempts)
                .commitId(commitId)
                .fencingToken(fencingToken)
                .createdAt(createdAt)
                .deadline(deadline)
                .purgeAt(purgeAt)
                .response(response)
                .outcome(outcome)
                .cause(cause);
    }

    /** Builds a record. The defaults are {@code PROCESSING}, 1 attempt, and null, 0 or empty for all other components. */
    public static final class Builder {

        private final IdempotencyKey key;
        private final String clientTxId;
        private final Fingerprint fingerprint;
        private Status status = Status.PROCESSING;
        private @Nullable IfAbandoned ifAbandoned;
        private int attempts = 1;
        private String commitId = "";
        private long fencingToken;
        private Instant createdAt = Instant.EPOCH;
        private @Nullable Instant deadline;
        private @Nullable Instant purgeAt;
        private @Nullable Response response;
        private @Nullable Integer outcome;
        private @Nullable String cause;

        private Builder(IdempotencyKey key, String clientTxId, Fingerprint fingerprint) {
            this.key = key;
            this.clientTxId = clientTxId;
            this.fingerprint = fingerprint;
        }

        public Builder status(Status status) {
            this.status = status;
            return this;
        }

        public Builder ifAbandoned(@Nullable IfAbandoned ifAbandoned) {
            this.ifAbandoned = ifAbandoned;
            return this;
        }

        public Builder attempts(int attempts) {
            this.attempts = attempts;
            return this;
        }

        public Builder commitId(String commitId) {
            this.commitId = commitId;
            return this;
        }

        public Builder fencingToken(long fencingToken) {
            this.fencingToken = fencingToken;
            return this;
        }

        public Builder createdAt(Instant createdAt) {
            this.createdAt = createdAt;
            return this;
        }

        public Builder deadline(@Nullable Instant deadline) {
            this.deadline = deadline;
            return this;
        }

        public Builder purgeAt(@Nullable Instant purgeAt) {
            this.purgeAt = purgeAt;
            return this;
        }

        public Builder response(@Nullable Response response) {
            this.response = response;
            return this;
        }

        public Builder outcome(@Nullable Integer outcome) {
            this.outcome = outcome;
            return this;
        }

        public Builder cause(@Nullable String cause) {
            this.cause = cause;
            return this;
        }

        public IdempotencyRecord build() {
            return new IdempotencyRecord(
                    key,
                    clientTxId,
                    fingerprint,
                    status,
                    ifAbandoned,
                    attempts,
                    commitId,
                    fencingToken,
                    createdAt,
                    deadline,
                    purgeAt,
                    response,
                    outcome,
                    cause);
        }
    }

    /** Whether the lease or the record has expired at a given time. */
    public boolean isExpiredAt(Instant now) {
        return deadline != null && !now.isBefore(deadline);
    }

    /** Whether the response of a completed operation was deleted. Then this is a tombstone, even if the clock was set back since. */
    public boolean isResponseDeleted() {
        return status == Status.COMPLETED && response == null;
    }

    /** Returns the status at a given time, as users see it. */
    public KeyStatus statusAt(Instant now) {
        boolean expired = isExpiredAt(now) || isResponseDeleted();
        return switch (status) {
            case UNKNOWN -> KeyStatus.UNKNOWN;
            case COMPLETED -> expired ? KeyStatus.EXPIRED : KeyStatus.COMPLETED;
            case FAILED -> expired ? KeyStatus.EXPIRED : KeyStatus.FAILED;
            case PROCESSING -> expired && ifAbandoned == IfAbandoned.FREEZE ? KeyStatus.UNKNOWN : KeyStatus.PROCESSING;
        };
    }

    /**
     * Returns what a sweep leaves of this record at a given time: the record if it has not expired; a tombstone if it has; an unknown
     * outcome if the owner crashed and the operation must not be run again; null if the record may be purged.
     */
    public @Nullable IdempotencyRecord sweptAt(Instant now) {
        if (!isExpiredAt(now)) {
            return this;
        }
        if (statusAt(now) == KeyStatus.UNKNOWN) {
            return toBuilder()
                    .status(Status.UNKNOWN)
                    .deadline(null)
                    .purgeAt(null)
                    .response(null)
                    .build();
        }
        if (purgeAt != null && !now.isBefore(purgeAt)) {
            return null;
        }
        return response == null ? this : toBuilder().response(null).build();
    }

    /** Returns this record without headers and body of its response; the status of the response stays. */
    public IdempotencyRecord withoutResponseBody() {
        return response == null
                ? this
                : toBuilder().response(response.notKept()).build();
    }

    /** The status of an idempotency key at a given time, as users and operators see it. */
    public enum KeyStatus {

        /** The operation is in progress, or its owner crashed and a retry may run it again. */
        PROCESSING,

        /** The operation completed, and retries replay its response. */
        COMPLETED,

        /** The operation failed; a retry runs it again. */
        FAILED,

        /** The owner crashed, and the operation must not be run again until an operator resolves it. */
        UNKNOWN,

        /** The operation completed or failed, and its record has expired; the record is a tombstone. */
        EXPIRED,
    }
}
