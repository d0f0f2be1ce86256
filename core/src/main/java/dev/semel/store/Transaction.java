package dev.semel.store;

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
 * <p>What is read becomes a precondition of the commit, and what is written waits for it: if another commit changed one of
 * those documents in the meantime, nothing is written and the operation runs again, on a new transaction. So an operation sees
 * its own writes, never loses somebody else's, and may run more than once; what it does outside the transaction, it may do more
 * than once. What it throws counts only if what it has read was still so. What it scans in the store is no precondition.
 *
 * <p>Belongs to the thread that runs the operation, and ends with it.
 */
public final class Transaction implements DocumentReader {

    private static final String ABSENT = "";

    private final Store store;
    private final String attempt;
    private final Set<DocumentId> doubtful;
    private final Instant now;
    private final Map<DocumentId, String> writers = new HashMap<>();
    private final Set<DocumentId> assumedAbsent = new HashSet<>();
    private final Map<DocumentId, Optional<Document>> seen = new HashMap<>();
    private final Map<DocumentId, DocumentWrite> writes = new LinkedHashMap<>();
    private final Map<DocumentId, DocumentWrite.Delete> removals = new HashMap<>();
    private @Nullable StoreException failure;
    private volatile boolean ended;

    /**
     * @param attempt id of its commit
     * @param doubtful documents that an earlier run took to be absent, and of which at least one was not
     */
    Transaction(Store store, String attempt, Set<DocumentId> doubtful) {
        this.store = store;
        this.attempt = attempt;
        this.doubtful = doubtful;
        this.now = store.clock().instant();
    }

    /** What time it is for the store; the same during the whole run. */
    public Instant now() {
        return now;
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        refuseIfEnded();
        Optional<Document> known = seen.get(id);
        if (known != null) {
            return known;
        }
        try {
            Optional<Document> found = store.read(id);
            writers.put(id, found.map(Document::writtenBy).orElse(ABSENT));
            seen.put(id, found);
            return found;
        } catch (StoreException e) {
            failure = e;
            throw e;
        }
    }

    /**
     * Takes a document to be absent without looking, as it nearly always is where a key was just made. If it is there after
     * all, the operation runs again, and then this tells.
     *
     * @return the document that is in the way, if one is known
     */
    public Optional<Document> expectAbsent(DocumentId id) {
        refuseIfEnded();
        Optional<Document> known = seen.get(id);
        if (known != null) {
            return known;
        }
        if (doubtful.contains(id)) {
            return read(id);
        }
        assumedAbsent.add(id);
        writers.put(id, ABSENT);
        seen.put(id, Optional.empty());
        return Optional.empty();
    }

    /**
     * Writes a document that was read, or expected to be absent, before.
     *
     * @return the document as it is written, by this transaction
     * @throws IllegalStateException if it was not: such a write could undo another that nobody has looked at; or if another document
     *     of this transaction would have the same place in an order
     */
    public Document put(Document document, List<FurtherKey> furtherKeys) {
        Document mine = document.writtenBy(attempt);
        DocumentWrite.Put put = new DocumentWrite.Put(mine, List.copyOf(furtherKeys));
        if (put.wantsPlace()) {
            refuseIfPlaceIsTaken(put);
        }
        write(put, Optional.of(mine));
        return mine;
    }

    /** A commit has one place: two documents there would have the same further key, and one of them would not be found. */
    private void refuseIfPlaceIsTaken(DocumentWrite.Put put) {
        for (DocumentWrite other : writes.values()) {
            DocumentId id = other.id();
            boolean inTheSameOrder = other instanceof DocumentWrite.Put
                    && !id.equals(put.id())
                    && id.collection().equals(put.id().collection())
                    && id.owner().equals(put.id().owner())
                    && other.furtherKeys().stream()
                            .anyMatch(further ->
                                    further.placed() && put.furtherKeys().contains(further));
            if (inTheSameOrder) {
                throw new IllegalStateException(
                        "A transaction makes one document in an order, and this is a second one of " + id.collection());
            }
        }
    }

    /**
     * Removes a document that was read before.
     *
     * @throws IllegalStateException if it was not
     */
    public void delete(DocumentId id, List<FurtherKey> furtherKeys) {
        DocumentWrite.Delete first =
                removals.computeIfAbsent(id, any -> new DocumentWrite.Delete(id, List.copyOf(furtherKeys)));
        write(first, Optional.empty()); // what this transaction has made since has no place yet, and is in no store
        if (ABSENT.equals(writers.get(id))) {
            writes.remove(id);
        }
    }

    private void write(DocumentWrite write, Optional<Document> result) {
        refuseIfEnded();
        if (!seen.containsKey(write.id())) {
            throw new IllegalStateException("Written without having been read: a document of "
                    + write.id().collection());
        }
        writes.put(write.id(), write);
        seen.put(write.id(), result);
    }

    private void refuseIfEnded() {
        if (ended) {
            throw new IllegalStateException("The transaction has ended");
        }
    }

    void end() {
        ended = true;
    }

    /** If the store could not be read, says so, even if the operation has hidden it. */
    void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Documents that this run took to be absent, without looking. */
    Set<DocumentId> assumedAbsent() {
        return assumedAbsent;
    }

    /** All that was read and written, as a commit. */
    Commit toCommit(boolean discardWrites, @Nullable OnceWrite once) {
        Collection<DocumentWrite> written = discardWrites ? List.of() : List.copyOf(writes.values());
        return new Commit(attempt, once, Map.copyOf(writers), written);
    }
}
