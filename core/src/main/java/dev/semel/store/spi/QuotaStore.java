package dev.semel.store.spi;

import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.spi.OnceStore.Lookup;

/**
 * A store that limits how many new keys a user starts. It counts new keys over a sliding window and rejects a write that would
 * exceed its {@linkplain IdempotencyWrite#quota() quota} with {@link CommitResult.QuotaExceeded}, also when many arrive at once. On
 * other stores quotas have no effect.
 */
public interface QuotaStore extends OnceStore {

    /** Looks up the record of a key, and how long its user has to wait before starting a new one. */
    Lookup find(IdempotencyKey key, Quota quota);

    @Override
    default Lookup find(IdempotencyKey key) {
        return find(key, Quota.NONE);
    }
}
