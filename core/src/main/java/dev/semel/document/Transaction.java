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
 * What an operation reads and writes before it is committed.
 *
 * <p>Each document that is read becomes a precondition of the commit, and writes are buffered until then. If another commit has
 * changed one of those documents, nothing is written and the operation runs again, in a new transaction. So an operation sees its
 * own writes, never overwrites another's, and may run more than once; so may whatever it does outside the transaction. An exception
 * it throws counts only if what it has read is still current. Scans of the store are no precondition.
 *
 * <p>Used by the thread that runs the operation, until the operation returns.
 */
public final class Transaction implements Document.Reader {

    private static final String ABSENT = "";

    private final DocumentStore store;
    private final String commitId;
    private final Set<DocumentId> notAbsent;
    private final Instant now;
    private final Map<DocumentId, String> preconditions = new HashMap<>();
    private final Set<DocumentId> assumedAbsent = new HashSet<>();
    private final Map<DocumentId, Optional<Document>> seen = new HashMap<>();
    private final Map<DocumentId, DocumentWrite> writes = new LinkedHashMap<>();
    private final Map<DocumentId, DocumentWrite.Delete> deletions = new HashMap<>();
    private @Nullable StoreException failure;
    private volatile boolean ended;

    /**
     * @param commitId id of its commit
     * @param notAbsent documents that an earlier run assumed to be absent, at least one of which was not
     */
    Transaction(DocumentStore store, String commitId, Set<DocumentId> notAbsent) {
        this.store = store;
        this.commitId = commitId;
        this.notAbsent = notAbsent;
        this.now = store.clock().instant();
    }

    /** The store's time; the same during the whole run. */
    public Instant now() {
        return now;
    }

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
     * Assumes without reading that a document is absent, as it nearly always is under a new key. If it exists after all, the operation
     * runs again, and then this returns it.
     *
     * @return the existing document, if one is known
     */
    public Optional<Document> expectAbsent(DocumentId id) {
        checkActive();
        Optional<Document> known = seen.get(id);
        if (known != null) {
            return known;
        }
        if (notAbsent.contains(id)) {
            return read(id);
        }
        assumedAbsent.add(id);
        preconditions.put(id, ABSENT);
        seen.put(id, Optional.empty());
        return Optional.empty();
    }

    /**
     * Writes a document that was read, or expected to be absent, before.
     *
     * @return the document as it is written by this transaction
     * @throws IllegalStateException if it was not read: such a write could overwrite one that nobody has seen; or if it needs a commit
     *     sequence number and the store has none, or another document of this transaction would get the same one
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

    /** A commit has one sequence number: two documents with it would have the same index entry, and one of them would be lost. */
    private void checkSequence(DocumentWrite.Put put) {
        if (!(store instanceof OrderedStore)) {
            throw new IllegalStateException(
                    "The store has no commit order, which " + put.id().collection() + " needs");
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
                throw new IllegalStateException(
                        "A transaction creates one document in a commit order, and this is a second one of "
                                + id.collection());
            }
        }
    }

    /**
     * Deletes a document that was read before.
     *
     * @throws IllegalStateException if it was not
     */
    public void delete(DocumentId id, List<IndexEntry> indexEntries) {
        DocumentWrite.Delete first =
                deletions.computeIfAbsent(id, any -> new DocumentWrite.Delete(id, List.copyOf(indexEntries)));
        write(
                first,
                Optional.empty()); // what this transaction has created since has no sequence number yet, and is in no
        // store
        if (ABSENT.equals(preconditions.get(id))) {
            writes.remove(id);
        }
    }

    private void write(DocumentWrite write, Optional<Document> result) {
        checkActive();
        if (!seen.containsKey(write.id())) {
            throw new IllegalStateException(
                    "A document of " + write.id().collection() + " is written without having been read");
        }
        writes.put(write.id(), write);
        seen.put(write.id(), result);
    }

    private void checkActive() {
        if (ended) {
            throw new IllegalStateException("The transaction has ended");
        }
    }

    void end() {
        ended = true;
    }

    /** Throws the exception of a read that failed, even if the operation has swallowed it. */
    void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Documents that this run assumed to be absent, without reading them. */
    Set<DocumentId> assumedAbsent() {
        return assumedAbsent;
    }

    /** All reads and writes as a commit. */
    Commit toCommit(boolean discardWrites, @Nullable IdempotencyWrite once) {
        Collection<DocumentWrite> written = discardWrites ? List.of() : List.copyOf(writes.values());
        return new Commit(commitId, once, Map.copyOf(preconditions), written);
    }
}
