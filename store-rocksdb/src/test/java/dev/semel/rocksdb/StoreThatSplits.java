package dev.semel.rocksdb;

import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import dev.semel.testkit.ForwardingStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A faulty store that writes the idempotency record first, and the documents later in another commit. Writers of the same document wait for
 * each other, so only a crash reveals the fault.
 */
final class StoreThatSplits extends ForwardingStore {

    private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Map<DocumentId, Object> locks = new ConcurrentHashMap<>();

    StoreThatSplits(DocumentStore store) {
        super(store);
    }

    @Override
    public CommitResult commit(Commit commit) {
        if (commit.idempotencyWrite() == null || commit.writes().isEmpty()) {
            return super.commit(commit);
        }
        // all documents but the shared one are new; the shared one is written last
        List<DocumentWrite> writes = List.copyOf(commit.writes());
        synchronized (locks.computeIfAbsent(writes.get(writes.size() - 1).id(), id -> new Object())) {
            CommitResult result =
                    super.commit(new Commit(commit.id(), commit.idempotencyWrite(), commit.preconditions(), List.of()));
            if (result instanceof CommitResult.Applied) {
                LockSupport.parkNanos(BETWEEN_NANOS);
                super.commit(new Commit(commit.id() + "-2", null, Map.of(), commit.writes()));
            }
            return result;
        }
    }
}
