package dev.semel.testkit;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OnceStore;
import dev.semel.store.spi.OnceStore.Lookup;
import dev.semel.store.spi.OrderedStore;
import dev.semel.store.spi.QuotaStore;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Forwards all calls to another store. Tests override single methods. Every write goes through {@link #commit}, even if the other store
 * has no documents. A call to a method that the other store does not have throws a {@link ClassCastException}.
 */
public abstract class ForwardingStore implements OrderedStore, QuotaStore, AdminStore {

    /** The store that receives the calls. */
    protected final OnceStore store;

    protected ForwardingStore(OnceStore store) {
        this.store = store;
    }

    @Override
    public InstantSource clock() {
        return store.clock();
    }

    @Override
    public Lookup find(IdempotencyKey key, Quota quota) {
        return store instanceof QuotaStore quotas ? quotas.find(key, quota) : store.find(key);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        return ((DocumentStore) store).read(id);
    }

    @Override
    public List<Document> scan(Scan scan) {
        return ((DocumentStore) store).scan(scan);
    }

    @Override
    public CommitResult commit(Commit commit) {
        IdempotencyWrite write = commit.idempotencyWrite();
        boolean isRecordAlone =
                commit.preconditions().isEmpty() && commit.writes().isEmpty();
        return write != null && isRecordAlone
                ? store.compareAndSet(commit.id(), write)
                : ((DocumentStore) store).commit(commit);
    }

    @Override
    public boolean isExclusive() {
        return store instanceof DocumentStore documents && documents.isExclusive();
    }

    @Override
    public Runnable watch(Runnable task) {
        return ((OrderedStore) store).watch(task);
    }

    @Override
    public StoreAdmin admin() {
        return ((AdminStore) store).admin();
    }

    @Override
    public void close() {
        store.close();
    }
}
