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
 * @param response what was answered, once it is completed
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
        @Nullable Response response) {

    /** Whether the lease or the life of the record is over at a given time. */
    public boolean isOverAt(Instant now) {
        return deadline != null && !now.isBefore(deadline);
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
                response);
    }
}
