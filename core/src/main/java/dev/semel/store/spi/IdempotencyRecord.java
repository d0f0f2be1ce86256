package dev.semel.store.spi;

import dev.semel.json.Fingerprint;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is stored about an operation. Made by name, with a {@link Builder}.
 *
 * @param key identifies the operation
 * @param clientTxId the client's transaction id
 * @param fingerprint of the payload; never the payload itself
 * @param status the stored status; {@link #statusAt} is what it means at a given time
 * @param ifAbandoned what a retry does after the owner crashed; null for an atomic operation, which has no owner
 * @param attempts how often the operation was started
 * @param commitId id of the commit that wrote the record last
 * @param fencingToken rises with each start of this key; an owner with a lower one has lost its lease
 * @param createdAt when the key was first used
 * @param deadline while processing, when the lease expires; afterwards, when the record does; null if it never expires
 * @param purgeAt when the record may be deleted; null if never. Between its deadline and then it is a tombstone, which shows that
 *     there was an operation and how it ended
 * @param response the recorded response of a completed operation; absent from a tombstone
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
        @Nullable Response response) {

    /** The stored status of an operation. */
    public enum Status {

        /** It was started, and its owner has a lease. */
        PROCESSING,

        /** It succeeded, or was refused for good; its response is recorded. */
        COMPLETED,

        /** It failed; a retry runs it again. */
        FAILED,

        /** Its owner crashed, and it must not be run again: only an operator can decide what became of it. Never expires. */
        UNKNOWN,
    }

    /** A record of a key, to be filled in. */
    public static Builder builder(IdempotencyKey key, String clientTxId, Fingerprint fingerprint) {
        return new Builder(key, clientTxId, fingerprint);
    }

    /** Makes a copy of this record with some changes. */
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
                .response(response);
    }

    /** Makes a record by naming its components. What is not set is absent, 0 or, for attempts, 1. */
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
                    response);
        }
    }

    /** Whether the lease or the record has expired at a given time. */
    public boolean isExpiredAt(Instant now) {
        return deadline != null && !now.isBefore(deadline);
    }

    /** Whether a completed operation's response was deleted: it is a tombstone, even if the clock was set back since. */
    public boolean isResponseDeleted() {
        return status == Status.COMPLETED && response == null;
    }

    /** The status as users see it at a given time. */
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
     * What a sweep leaves of it at a given time: all of it if it has not expired; a tombstone if it has; an unknown outcome if its
     * owner crashed and it must not be run again; null if it may be purged.
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

    /** The record without the response's headers and body: only its status, and that there was one. */
    public IdempotencyRecord withoutResponseBody() {
        return response == null
                ? this
                : toBuilder().response(response.notKept()).build();
    }

    /** The status of an idempotency key as users and operators see it. */
    public enum KeyStatus {

        /** The operation is in progress, or its owner crashed and a retry may run it again. */
        PROCESSING,

        /** The operation completed, and its response is replayed. */
        COMPLETED,

        /** The operation failed; a retry runs it again. */
        FAILED,

        /** The owner crashed and the operation must not be run again: an operator decides what became of it. */
        UNKNOWN,

        /** The operation completed or failed, and its record has expired. */
        EXPIRED,
    }
}
