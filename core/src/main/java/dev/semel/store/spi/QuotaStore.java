package dev.semel.store.spi;

import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.spi.OnceStore.Lookup;

/**
 * A store that enforces quotas. It counts the new keys of each user over a sliding window, and rejects a write that would exceed its
 * {@linkplain IdempotencyWrite#quota() quota} with {@link CommitResult.QuotaExceeded}, even if many arrive at once. On other stores quotas
 * have no effect.
 */
public interface QuotaStore extends OnceStore {

    /** Looks up the idempotency record of a key, and how long its user has to wait before starting a new key. */
    Lookup find(IdempotencyKey key, Quota quota);

    @Override
    default Lookup find(IdempotencyKey key) {
        return find(key, Quota.NONE);
    }
}
