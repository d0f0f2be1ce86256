package dev.semel.rocksdb;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.testkit.ForwardingStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A faulty store that acknowledges documents before it has written them. Readers of these documents wait for the write, so only a crash
 * reveals the fault.
 */
final class StoreThatAcknowledgesEarly extends ForwardingStore {

    private static final Executor LATER = CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS);

    private final Map<DocumentId, CompletableFuture<CommitResult>> inProgress = new HashMap<>();

    StoreThatAcknowledgesEarly(DocumentStore store) {
        super(store);
    }

    @Override
    public CommitResult commit(Commit commit) {
        IdempotencyWrite once = commit.idempotencyWrite();
        if (once == null || commit.writes().isEmpty()) {
            return super.commit(commit);
        }
        synchronized (inProgress) {
            for (Map.Entry<DocumentId, String> expected : commit.preconditions().entrySet()) {
                if (!isAs(expected.getValue(), expected.getKey())) {
                    return new CommitResult.DocumentConflict(expected.getKey(), 0);
                }
            }
            CompletableFuture<CommitResult> written = CompletableFuture.supplyAsync(() -> super.commit(commit), LATER);
            for (DocumentWrite write : commit.writes()) {
                inProgress.put(write.id(), written);
            }
            return new CommitResult.Applied(
                    once.stamp(commit.id(), store.clock().instant()));
        }
    }

    private boolean isAs(String expectedWriter, DocumentId id) {
        CompletableFuture<CommitResult> writing = inProgress.get(id);
        return (writing == null || writing.isDone())
                && super.read(id).map(Document::commitId).orElse("").equals(expectedWriter);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        CompletableFuture<CommitResult> writing;
        synchronized (inProgress) {
            writing = inProgress.get(id);
        }
        if (writing != null) {
            writing.join();
        }
        return super.read(id);
    }

    @Override
    public void close() {
        synchronized (inProgress) {
            List.copyOf(inProgress.values()).forEach(CompletableFuture::join);
        }
        store.close();
    }
}
