package dev.semel.outbox;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.store.spi.OrderedStore;
import dev.semel.testkit.ForwardingStore;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the documents that are read from a store and the commits that notify watchers, and has the clock of a test. */
final class CountingStore extends ForwardingStore {

    private final InstantSource clock;
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger notifications = new AtomicInteger();

    CountingStore(OrderedStore store, InstantSource clock) {
        super(store);
        this.clock = clock;
    }

    /** Returns the store that receives the calls. */
    OrderedStore inner() {
        return (OrderedStore) store;
    }

    /** Returns how many documents were read since the last call. */
    int takeReads() {
        return reads.getAndSet(0);
    }

    /** Returns how many commits have notified watchers since the last call. */
    int takeNotifications() {
        return notifications.getAndSet(0);
    }

    @Override
    public CommitResult commit(Commit commit) {
        notifications.addAndGet(commit.notifiesWatchers() ? 1 : 0);
        return super.commit(commit);
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        reads.incrementAndGet();
        return super.read(id);
    }

    @Override
    public List<Document> scan(Scan scan) {
        List<Document> found = super.scan(scan);
        reads.addAndGet(found.size());
        return found;
    }
}
