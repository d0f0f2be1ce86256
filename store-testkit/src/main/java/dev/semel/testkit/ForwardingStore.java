package dev.semel.testkit;

import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.Housekeeping;
import dev.semel.store.OnceKey;
import dev.semel.store.Quota;
import dev.semel.store.Scan;
import dev.semel.store.Sighting;
import dev.semel.store.Store;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Does all that another store does, for those who change one thing about it. */
public abstract class ForwardingStore implements Store {

    /** The other store. */
    protected final Store store;

    protected ForwardingStore(Store store) {
        this.store = store;
    }

    @Override
    public Set<Capability> capabilities() {
        return store.capabilities();
    }

    @Override
    public InstantSource clock() {
        return store.clock();
    }

    @Override
    public Sighting find(OnceKey key, Quota quota) {
        return store.find(key, quota);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        return store.read(id);
    }

    @Override
    public Housekeeping housekeeping() {
        return store.housekeeping();
    }

    @Override
    public List<Document> scan(Scan scan) {
        return store.scan(scan);
    }

    @Override
    public CommitResult commit(Commit commit) {
        return store.commit(commit);
    }

    @Override
    public Runnable watch(Runnable task) {
        return store.watch(task);
    }

    @Override
    public void close() {
        store.close();
    }
}
