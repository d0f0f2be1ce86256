package dev.semel.server.migration;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A view of a store that writes to another one. What was not written there is read from the store. For one thread. */
final class DryRunStore implements DocumentStore {

    private final DocumentStore target;
    private final DocumentStore scratch;

    DryRunStore(DocumentStore target, DocumentStore scratch) {
        this.target = target;
        this.scratch = scratch;
    }

    @Override
    public InstantSource clock() {
        return target.clock();
    }

    @Override
    public Lookup find(IdempotencyKey key) {
        return scratch.find(key);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        return scratch.read(id).or(() -> target.read(id));
    }

    /** The preconditions are met, since the scratch store has no other writer. Those on documents of the target could not be checked. */
    @Override
    public CommitResult commit(Commit commit) {
        return scratch.commit(new Commit(commit.id(), commit.idempotencyWrite(), Map.of(), commit.writes()));
    }

    /** The scans of a migration are for one document, except those that it makes before its first write. */
    @Override
    public List<Document> scan(Scan scan) {
        List<Document> found = scratch.scan(scan);
        return found.isEmpty() ? target.scan(scan) : found;
    }

    @Override
    public void close() {}
}
