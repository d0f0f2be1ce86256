package dev.semel.once;

import dev.semel.id.TextFormat;
import dev.semel.json.Fingerprint;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.internal.UniqueIds;
import java.time.Duration;
import java.util.Objects;

/**
 * A request to run an operation once.
 *
 * @param key identifies the operation
 * @param fingerprint of the payload: the same key with another fingerprint is a mismatch
 * @param clientTxId the client's transaction id: 1 to 255 of {@code A-Za-z0-9_-}
 * @param maxWait how long to wait for the response if the operation is already in progress; zero to return at once
 */
public record Call(IdempotencyKey key, Fingerprint fingerprint, String clientTxId, Duration maxWait) {

    /**
     * Checks the client's transaction id; a negative wait counts as zero.
     *
     * @throws dev.semel.id.MalformedException if the client's transaction id is missing or malformed
     */
    public Call {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(fingerprint, "fingerprint");
        Objects.requireNonNull(maxWait, "maxWait");
        maxWait = maxWait.isNegative() ? Duration.ZERO : maxWait;
        TextFormat.TEXT.check("clientTxId", clientTxId);
    }

    /** Returns a call that does not wait and has a new transaction id. */
    public static Call of(IdempotencyKey key, Fingerprint fingerprint) {
        return new Call(key, fingerprint, UniqueIds.mint(), Duration.ZERO);
    }

    /** Returns this call with the client's transaction id. */
    public Call withClientTxId(String clientTxId) {
        return new Call(key, fingerprint, clientTxId, maxWait);
    }

    /** Returns this call, waiting for the response if the operation is already in progress. */
    public Call waiting(Duration atMost) {
        return new Call(key, fingerprint, clientTxId, atMost);
    }
}
