package dev.semel.once;

import dev.semel.id.IdSchemes;
import dev.semel.id.TextFormat;
import dev.semel.json.Fingerprint;
import dev.semel.store.OnceKey;
import java.time.Duration;
import java.util.Objects;

/**
 * A request to do something once.
 *
 * @param key under which it happens once
 * @param fingerprint of what is asked for: the same key with another fingerprint is a mismatch
 * @param clientTxId what the client calls the transaction: 1 to 255 of {@code A-Za-z0-9_-}
 * @param patience how long to wait for the answer if the same is under way already; zero to be told at once
 */
public record Call(OnceKey key, Fingerprint fingerprint, String clientTxId, Duration patience) {

    /** @throws dev.semel.id.MalformedException if the client's transaction id is missing or malformed */
    public Call {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(fingerprint, "fingerprint");
        Objects.requireNonNull(patience, "patience");
        patience = patience.isNegative() ? Duration.ZERO : patience;
        TextFormat.TEXT.check("clientTxId", clientTxId);
    }

    /** A call that does not wait, with a transaction id made for it. */
    public static Call of(OnceKey key, Fingerprint fingerprint) {
        return new Call(key, fingerprint, IdSchemes.TID62.mint(), Duration.ZERO);
    }

    /** The same call with the client's own transaction id. */
    public Call withClientTxId(String clientTxId) {
        return new Call(key, fingerprint, clientTxId, patience);
    }

    /** The same call, waiting for the answer if the same is under way already. */
    public Call waiting(Duration atMost) {
        return new Call(key, fingerprint, clientTxId, atMost);
    }
}
