package dev.semel.document;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OrderedStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The reads and writes of an operation, under optimistic concurrency control.
 *
 * <p>Each document that is read becomes a precondition of the commit. Writes are buffered until then, and reads see them. If another commit
 * has changed one of the documents meanwhile, nothing is written, and the operation runs again in a new transaction. So an operation never
 * overwrites the change of another, and it may run several times, together with anything it does outside the transaction. If it throws, the
 * documents that it has read are checked, too; the exception counts only if they have not changed. Scans of the store are not checked.
 *
 * <p>Not thread-safe: only the thread that runs the operation may use it, and only until the operation returns.
 */
public final class Transaction implements Document.Reader {

    private static final String ABSENT = "";

    private final DocumentStore store;
    private final String commitId;
    private final Set<DocumentId> changed;
    private final Instant now;
    private final Map<DocumentId, String> preconditions = new HashMap<>();
    private final Set<DocumentId> assumed = new HashSet<>();
    private final Map<DocumentId, Optional<Document>> seen = new HashMap<>();
    private final Map<DocumentId, DocumentWrite> writes = new LinkedHashMap<>();
    private final Map<DocumentId, DocumentWrite.Delete> deletions = new HashMap<>();
    private final List<Runnable> afterCommit = new ArrayList<>();
    private @Nullable StoreException failure;
    private boolean notifiesWatchers;
    private volatile boolean ended;

    /** @param changed documents about which an earlier run made assumptions, at least one of which was wrong */
    Transaction(DocumentStore store, String commitId, Set<DocumentId> changed) {
        this.store = store;
        this.commitId = commitId;
        this.changed = changed;
        this.now = store.clock().instant();
    }

    /** Returns the store's time at the start of the transaction. */
    public Instant now() {
        return now;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException if the transaction has ended
     * @throws StoreException if the store fails; then the transaction fails, too, even if the operation catches this
     */
    @Override
    public Optional<Document> read(DocumentId id) {
        checkActive();
        Optional<Document> known = seen.get(id);
        if (known != null) {
            return known;
        }
        try {
            Optional<Document> found = store.read(id);
            preconditions.put(id, found.map(Document::commitId).orElse(ABSENT));
            seen.put(id, found);
            return found;
        } catch (StoreException e) {
            failure = e;
            throw e;
        }
    }

    /**
     * Assumes that a document is absent without reading it, since a new key is seldom in use. The commit checks this. If the document
     * exists, the operation runs again, and then this method reads it.
     *
     * @return the document if it is known to exist; otherwise empty
     * @throws IllegalStateException if the transaction has ended
     */
    public Optional<Document> expectAbsent(DocumentId id) {
        return expect(id, Optional.empty());
    }

    /**
     * Assumes that a document has not changed since it was read outside this transaction, without reading it again. The commit checks this. If
     * the document has changed, the operation runs again, and then this method reads it.
     *
     * @param document as a store has returned it
     * @return the document; empty if it is known to be absent
     * @throws IllegalStateException if the transaction has ended
     */
    public Optional<Document> expect(Document document) {
        return expect(document.id(), Optional.of(document));
    }

    private Optional<Document> expect(DocumentId id, Optional<Document> assumption) {
        checkActive();
        Optional<Document> known = seen.get(id);
        if (known != null) {
            return known;
        }
        if (changed.contains(id)) {
            return read(id);
        }
        assumed.add(id);
        preconditions.put(id, assumption.map(Document::commitId).orElse(ABSENT));
        seen.put(id, assumption);
        return assumption;
    }

    /**
     * Writes a document that was read or expected to be absent before.
     *
     * @return the document as this transaction writes it
     * @throws IllegalStateException if the document was not read, so that the write could overwrite a change that the operation has not
     *     seen; if it needs a commit sequence number and the store assigns none; if this transaction already creates a document in the same
     *     commit order; or if the transaction has ended
     */
    public Document put(Document document, List<IndexEntry> indexEntries) {
        Document mine = document.withCommitId(commitId);
        DocumentWrite.Put put = new DocumentWrite.Put(mine, List.copyOf(indexEntries));
        if (put.needsSequence()) {
            checkSequence(put);
        }
        write(put, Optional.of(mine));
        return mine;
    }

    /** A commit has one sequence number: with two documents in one order, both would have the same index entry. */
    private void checkSequence(DocumentWrite.Put put) {
        if (!(store instanceof OrderedStore)) {
            throw new IllegalStateException(
                    "The collection " + put.id().collection() + " needs a commit order, which the store does not have");
        }
        for (DocumentWrite other : writes.values()) {
            DocumentId id = other.id();
            boolean sameOrder = other instanceof DocumentWrite.Put
                    && !id.equals(put.id())
                    && id.collection().equals(put.id().collection())
                    && id.owner().equals(put.id().owner())
                    && other.indexEntries().stream()
                            .anyMatch(entry ->
                                    entry.sequenced() && put.indexEntries().contains(entry));
            if (sameOrder) {
                throw new IllegalStateException("A transaction can create only one document of " + id.collection()
                        + " in the same commit order");
            }
        }
    }

    /**
     * Deletes a document that was read before.
     *
     * @throws IllegalStateException if the document was not read, or if the transaction has ended
     */
    public void delete(DocumentId id, List<IndexEntry> indexEntries) {
        DocumentWrite.Delete first =
                deletions.computeIfAbsent(id, any -> new DocumentWrite.Delete(id, List.copyOf(indexEntries)));
        // The first deletion has the index entries of the stored document. One that this transaction has created since
        // is not stored, and has no sequence number.
        write(first, Optional.empty());
        if (ABSENT.equals(preconditions.get(id))) {
            writes.remove(id);
        }
    }

    private void write(DocumentWrite write, Optional<Document> result) {
        checkActive();
        if (!seen.containsKey(write.id())) {
            throw new IllegalStateException(
                    "A document of " + write.id().collection() + " was not read before it is written: read it first");
        }
        writes.put(write.id(), write);
        seen.put(write.id(), result);
    }

    /**
     * Notifies the {@linkplain OrderedStore#watch watchers} of the store, in all processes, when this transaction has written. A store without
     * watchers ignores it.
     *
     * @throws IllegalStateException if the transaction has ended
     */
    public void notifyWatchers() {
        checkActive();
        notifiesWatchers = true;
    }

    /**
     * Runs an action when this transaction has committed its writes, to count or log what it did. It does not run for a transaction that is
     * retried, fails or is discarded, and is lost if the process crashes. Exceptions that it throws are ignored.
     *
     * @throws IllegalStateException if the transaction has ended
     */
    public void afterCommit(Runnable action) {
        checkActive();
        afterCommit.add(action);
    }

    private void checkActive() {
        if (ended) {
            throw new IllegalStateException(
                    "The transaction has ended: use it only within the operation that it was passed to");
        }
    }

    void end() {
        ended = true;
    }

    /** Runs the actions that were to follow the commit. */
    void committed() {
        for (Runnable action : afterCommit) {
            try {
                action.run();
            } catch (RuntimeException e) {
                // the commit cannot be undone, so its caller must not see a failure
            }
        }
    }

    /** Throws the exception of a read that failed, even if the operation has caught it. */
    void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns the documents about which this run made an assumption without reading them. */
    Set<DocumentId> assumed() {
        return assumed;
    }

    /** Returns all reads and writes as a commit. */
    Commit toCommit(boolean discardWrites, @Nullable IdempotencyWrite once) {
        Collection<DocumentWrite> written = discardWrites ? List.of() : List.copyOf(writes.values());
        return new Commit(commitId, once, Map.copyOf(preconditions), written, notifiesWatchers && !written.isEmpty());
    }
}
