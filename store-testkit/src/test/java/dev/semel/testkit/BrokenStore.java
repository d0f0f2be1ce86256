package dev.semel.testkit;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import dev.semel.store.spi.OnceStore.Lookup;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Stores with typical bugs, to test that the suite rejects them. */
abstract class BrokenStore extends ForwardingStore {

    private BrokenStore(DocumentStore store) {
        super(store);
    }

    /** Records the completion of an owner whose lease was taken over. */
    static DocumentStore withoutFencing(DocumentStore store) {
        return new BrokenStore(store) {
            @Override
            public CommitResult commit(Commit commit) {
                IdempotencyWrite once = commit.idempotencyWrite();
                boolean byOwner = once != null && once.record().fencingToken() != 0;
                return byOwner ? force(commit, commit.preconditions()) : super.commit(commit);
            }
        };
    }

    /** Checks the preconditions first, and then writes in a separate step. */
    static DocumentStore thatReadsAndThenWrites(DocumentStore store) {
        return new BrokenStore(store) {
            @Override
            public CommitResult commit(Commit commit) {
                IdempotencyWrite once = commit.idempotencyWrite();
                if (once != null && !once.precondition().isMetBy(seen(once).record())) {
                    return new CommitResult.RecordConflict();
                }
                for (Map.Entry<DocumentId, String> expected :
                        commit.preconditions().entrySet()) {
                    Optional<Document> found = read(expected.getKey());
                    if (!found.map(Document::commitId).orElse("").equals(expected.getValue())) {
                        long version = found.map(Document::version).orElse(0L);
                        return new CommitResult.DocumentConflict(expected.getKey(), version);
                    }
                }
                LockSupport.parkNanos(1_000); // at least as much time as between two round trips over a network
                return force(commit, Map.of());
            }
        };
    }

    /** Writes idempotency records and documents in two commits. */
    static DocumentStore thatSplitsCommits(DocumentStore store) {
        return new BrokenStore(store) {
            @Override
            public CommitResult commit(Commit commit) {
                if (commit.idempotencyWrite() == null || commit.writes().isEmpty()) {
                    return super.commit(commit);
                }
                CommitResult first = super.commit(Commit.of(commit.id(), commit.idempotencyWrite()));
                if (first instanceof CommitResult.Applied) {
                    super.commit(new Commit(commit.id() + "-2", null, commit.preconditions(), commit.writes()));
                }
                return first;
            }
        };
    }

    /** Applies a repeated commit again. */
    static DocumentStore thatForgetsCommitIds(DocumentStore store) {
        return new BrokenStore(store) {
            private int count;

            @Override
            public synchronized CommitResult commit(Commit commit) {
                return super.commit(new Commit(
                        commit.id() + "-" + count++,
                        commit.idempotencyWrite(),
                        commit.preconditions(),
                        commit.writes()));
            }
        };
    }

    /** Counts the starts of each key from one, and loses the count with the record. */
    static DocumentStore whoseFencingTokensStartAgain(DocumentStore store) {
        return new BrokenStore(store) {
            @Override
            public CommitResult commit(Commit commit) {
                IdempotencyWrite once = commit.idempotencyWrite();
                if (once == null || once.record().fencingToken() != 0) {
                    return super.commit(commit);
                }
                IdempotencyRecord current = seen(once).record();
                long token = current == null ? 1 : current.fencingToken() + 1;
                IdempotencyRecord record =
                        once.record().toBuilder().fencingToken(token).build();
                IdempotencyWrite counted = new IdempotencyWrite(
                        once.precondition(), record, once.ttl(), once.tombstoneTtl(), once.quota());
                return super.commit(new Commit(commit.id(), counted, commit.preconditions(), commit.writes()));
            }
        };
    }

    final Lookup seen(IdempotencyWrite once) {
        return store.find(once.record().key());
    }

    /** Writes without checking the idempotency record. */
    final CommitResult force(Commit commit, Map<DocumentId, String> writers) {
        while (true) {
            IdempotencyWrite once = commit.idempotencyWrite();
            IdempotencyWrite anyhow = once == null
                    ? null
                    : new IdempotencyWrite(
                            Precondition.unchanged(seen(once).record()),
                            once.record(),
                            once.ttl(),
                            once.tombstoneTtl(),
                            once.quota());
            CommitResult result = super.commit(new Commit(commit.id(), anyhow, writers, commit.writes()));
            if (!(result instanceof CommitResult.RecordConflict)) {
                return result;
            }
        }
    }
}
