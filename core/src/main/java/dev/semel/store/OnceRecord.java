package dev.semel.store;

import dev.semel.json.Fingerprint;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of an operation.
 *
 * @param key under which it happens once
 * @param clientTxId what the client calls the transaction
 * @param fingerprint of what was asked for; never the payload itself
 * @param status what became of it
 * @param ifAbandoned what to do if its owner vanishes; null where no owner is needed, because it is done in one commit
 * @param attempts how often it was begun
 * @param attempt id of the write that left the record as it is
 * @param fence rises with each start, in the whole store; who has a lower one owns nothing any more
 * @param createdAt when the key was first seen
 * @param deadline while processing, the end of the lease; afterwards, the end of the record's life; null if it has no end
 * @param forgottenAt from when on nothing need be known of it any more; null if that is never. Between its deadline and this moment it is
 *     a tombstone: who asks is told that there was something, and how it ended
 * @param response what was answered, once it is completed; no longer there when it has become a tombstone
 */
public record OnceRecord(
        OnceKey key,
        String clientTxId,
        Fingerprint fingerprint,
        OnceStatus status,
        @Nullable IfAbandoned ifAbandoned,
        int attempts,
        String attempt,
        long fence,
        Instant createdAt,
        @Nullable Instant deadline,
        @Nullable Instant forgottenAt,
        @Nullable Response response) {

    /** Whether the lease or the life of the record is over at a given time. */
    public boolean isOverAt(Instant now) {
        return deadline != null && !now.isBefore(deadline);
    }

    /** Whether it was completed, and what was answered is known no longer, whatever a clock that was set back may say. */
    public boolean isStripped() {
        return status == OnceStatus.COMPLETED && response == null;
    }

    /** How it looks to people at a given time. */
    public KeyState stateAt(Instant now) {
        boolean over = isOverAt(now) || isStripped();
        return switch (status) {
            case UNKNOWN -> KeyState.UNKNOWN;
            case COMPLETED -> over ? KeyState.EXPIRED : KeyState.COMPLETED;
            case FAILED -> over ? KeyState.EXPIRED : KeyState.FAILED;
            case PROCESSING -> over && ifAbandoned == IfAbandoned.FREEZE ? KeyState.UNKNOWN : KeyState.PROCESSING;
        };
    }

    /**
     * What a sweep leaves of it at a given time: all of it; the tombstone of what is past its time; that it is unknown, if its owner has
     * vanished and it must not be run again; or null when it may be forgotten.
     */
    public @Nullable OnceRecord sweptAt(Instant now) {
        if (!isOverAt(now)) {
            return this;
        }
        if (stateAt(now) == KeyState.UNKNOWN) {
            return new OnceRecord(
                    key,
                    clientTxId,
                    fingerprint,
                    OnceStatus.UNKNOWN,
                    ifAbandoned,
                    attempts,
                    attempt,
                    fence,
                    createdAt,
                    null,
                    null,
                    null);
        }
        if (forgottenAt != null && !now.isBefore(forgottenAt)) {
            return null;
        }
        return response == null ? this : with(status, null);
    }

    /** All but what was answered: only that there is an answer, and its status. */
    public OnceRecord withoutAnswer() {
        return response == null ? this : with(status, response.notKept());
    }

    /** The same operation, come to another point. */
    public OnceRecord with(OnceStatus status, @Nullable Response response) {
        return new OnceRecord(
                key,
                clientTxId,
                fingerprint,
                status,
                ifAbandoned,
                attempts,
                attempt,
                fence,
                createdAt,
                deadline,
                forgottenAt,
                response);
    }
}
