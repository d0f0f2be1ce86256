package dev.semel.rocksdb;

import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Store;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Writes the once-record first, and the documents a little later in another commit. As long as it lives, nobody can tell. */
final class StoreThatSplits extends StoreInFront {

    private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    StoreThatSplits(Store store) {
        super(store);
    }

    @Override
    public synchronized CommitResult commit(Commit commit) {
        if (commit.once() == null || commit.writes().isEmpty()) {
            return store.commit(commit);
        }
        CommitResult result = store.commit(new Commit(commit.attempt(), commit.once(), commit.writers(), List.of()));
        if (result instanceof CommitResult.Applied) {
            LockSupport.parkNanos(BETWEEN_NANOS);
            store.commit(new Commit(commit.attempt() + "-2", null, Map.of(), commit.writes()));
        }
        return result;
    }
}
