package dev.semel.rocksdb;

import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.OnceWrite;
import dev.semel.store.Store;
import dev.semel.testkit.ForwardingStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Says that documents are written when it has only begun to, and writes them a little later. Whoever reads one of them meanwhile has
 * to wait; so as long as it lives, nobody can tell.
 */
final class StoreThatAcknowledgesEarly extends ForwardingStore {

    private static final Executor LATER = CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS);

    private final Map<DocumentId, CompletableFuture<CommitResult>> underWay = new HashMap<>();

    StoreThatAcknowledgesEarly(Store store) {
        super(store);
    }

    @Override
    public CommitResult commit(Commit commit) {
        OnceWrite once = commit.once();
        if (once == null || commit.writes().isEmpty()) {
            return store.commit(commit);
        }
        synchronized (underWay) {
            for (Map.Entry<DocumentId, String> expected : commit.writers().entrySet()) {
                if (!isAs(expected.getValue(), expected.getKey())) {
                    return new CommitResult.Stale(expected.getKey(), 0);
                }
            }
            CompletableFuture<CommitResult> written = CompletableFuture.supplyAsync(() -> store.commit(commit), LATER);
            for (DocumentWrite write : commit.writes()) {
                underWay.put(write.id(), written);
            }
            return new CommitResult.Applied(
                    once.stamp(commit.attempt(), () -> 1, store.clock().instant()));
        }
    }

    private boolean isAs(String expectedWriter, DocumentId id) {
        CompletableFuture<CommitResult> writing = underWay.get(id);
        return (writing == null || writing.isDone())
                && store.read(id).map(Document::writtenBy).orElse("").equals(expectedWriter);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        CompletableFuture<CommitResult> writing;
        synchronized (underWay) {
            writing = underWay.get(id);
        }
        if (writing != null) {
            writing.join();
        }
        return store.read(id);
    }

    @Override
    public void close() {
        synchronized (underWay) {
            List.copyOf(underWay.values()).forEach(CompletableFuture::join);
        }
        store.close();
    }
}
