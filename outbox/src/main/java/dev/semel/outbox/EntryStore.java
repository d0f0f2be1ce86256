package dev.semel.outbox;

import dev.semel.document.Transaction;
import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.outbox.EntryCodec.UnreadableException;
import dev.semel.outbox.EntryIds.Writer;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The documents of an outbox. Thread-safe.
 *
 * <ul>
 *   <li>{@code outbox.NAME.queue}: pending and failed entries. The {@linkplain EntryId ids} are in the order of adding, and an index has the
 *       entries of each lane in that order. Another index finds an entry by its transaction id.
 *   <li>{@code outbox.NAME.failed}: an empty document for each failed entry, with the same key. So failed entries are found without reading
 *       the others.
 *   <li>{@code outbox.NAME.done}: confirmed entries, until they expire.
 * </ul>
 */
final class EntryStore {

    private static final String LANES = EntryIds.LANES;

    /** Name of the index of transaction ids. */
    private static final String TRANSACTIONS = "tx";

    private static final String ABOVE_ALL = "~"; // follows all characters of ids

    private static final int MOST_COLLISIONS = 1_000;
    static final Json EMPTY = Json.of("{}");

    private final DocumentStore store;
    private final Transactions transactions;
    private final String name;
    private final String queue;
    private final String failed;
    private final String done;
    private final Duration keepConfirmed;
    private final EntryIds ids;
    private final LaneHooks hooks;

    EntryStore(DocumentStore store, String name, Duration keepConfirmed, Time time) {
        this.store = store;
        this.transactions = new Transactions(store, time);
        this.name = name;
        this.queue = collection("queue");
        this.ids = new EntryIds(queue);
        this.failed = collection("failed");
        this.done = collection("done");
        this.keepConfirmed = keepConfirmed;
        this.hooks = LaneHooks.of(store, name);
    }

    /**
     * An entry of the queue as it was read.
     *
     * @param document its document
     */
    record Queued(OutboxEntry entry, Document document) {

        /** Returns the digest of its lane. */
        String lane() {
            return EntryId.parse(entry.id()).lane();
        }

        /** Whether this version can read the entry; otherwise it is shown as failed. */
        boolean isReadable() {
            return !entry.idempotencyKey().isEmpty();
        }
    }

    /** The right to send the entries of a lane, and to write to them. */
    interface Claim {

        /** Whether it still holds. Makes this a precondition of the transaction, so the commit fails if the right is lost meanwhile. */
        boolean isHeld(Transaction tx);

        /** Gives the right up when the transaction commits. */
        void release(Transaction tx);
    }

    DocumentStore store() {
        return store;
    }

    Transactions transactions() {
        return transactions;
    }

    /** Returns the name of the outbox. */
    String name() {
        return name;
    }

    /** Returns the name of one of the outbox's collections. */
    String collection(String kind) {
        return "outbox." + name + "." + kind;
    }

    /** Adds an entry in a transaction. When the transaction has committed, the watchers of the store are notified. */
    OutboxEntry add(Transaction tx, OutboxRequest request) {
        tx.notifyWatchers();
        return addQuietly(tx, request);
    }

    private OutboxEntry addQuietly(Transaction tx, OutboxRequest request) {
        String lane = EntryId.digest(request.lane());
        for (int i = 0; i < MOST_COLLISIONS; i++) {
            EntryId id = ids.next(lane, tx.now(), Writer.COMMIT, store::scan);
            if (tx.expectAbsent(queued(id)).isEmpty()) {
                OutboxEntry entry = entry(id, request, tx.now());
                tx.put(document(id, entry), indexEntries(entry));
                return entry;
            }
        }
        throw tooManyCollisions();
    }

    /**
     * Adds an entry in a JDBC transaction of the application. When it has committed, the watchers of the store are notified.
     *
     * @throws UnsupportedOperationException if the store is not in a database that applications use by JDBC
     */
    OutboxEntry add(Connection connection, OutboxRequest request) {
        if (!(store instanceof DocumentStore.Jdbc database)) {
            throw new UnsupportedOperationException(
                    "The outbox " + name
                            + " is not in a database that applications use by JDBC: add the entry without a connection, or in a Transaction");
        }
        String lane = EntryId.digest(request.lane());
        Instant now = store.clock().instant();
        for (int i = 0; i < MOST_COLLISIONS; i++) {
            EntryId id = ids.next(lane, now, Writer.JDBC_TRANSACTION, scan -> database.scan(connection, scan));
            OutboxEntry entry = entry(id, request, now);
            DocumentWrite.Put put = new DocumentWrite.Put(document(id, entry), indexEntries(entry));
            if (database.create(connection, transactions.newCommitId(), put)) {
                return entry;
            }
        }
        throw tooManyCollisions();
    }

    /** Adds an entry in a separate transaction, and notifies the hooks. Other processes are notified by the watchers of the store. */
    OutboxEntry add(OutboxRequest request) {
        OutboxEntry added = transactions.run(tx -> store.isExclusive() ? addQuietly(tx, request) : add(tx, request));
        notifyHooks(EntryId.parse(added.id()).lane());
        return added;
    }

    private Document document(EntryId id, OutboxEntry entry) {
        return Document.created(queued(id), entry.createdAt(), null, EntryCodec.encode(entry));
    }

    private IllegalStateException tooManyCollisions() {
        return new IllegalStateException("The outbox " + name + " has found " + MOST_COLLISIONS
                + " new ids of one lane in use, one after another");
    }

    private static OutboxEntry entry(EntryId id, OutboxRequest request, Instant now) {
        return new OutboxEntry(
                id.key(),
                IdempotencyKeyGenerator.generate(() -> now),
                IdempotencyKeyGenerator.generateClientTxId(),
                request.operation(),
                request.method(),
                request.endpoint(),
                request.contentType(),
                request.payload(),
                request.lane(),
                Status.PENDING,
                0,
                now,
                now,
                null,
                null,
                null,
                null);
    }

    /** Returns an entry that is pending, failed, or confirmed and not yet expired. */
    Optional<OutboxEntry> find(String id) {
        if (!EntryId.isId(id)) {
            return Optional.empty();
        }
        EntryId key = EntryId.parse(id);
        return store.read(queued(key)).or(() -> store.read(confirmed(key))).map(this::entry);
    }

    /**
     * Returns pending and failed entries of a lane, in order.
     *
     * @param after the id after which to start; empty for the oldest
     */
    List<Queued> lane(String lane, String after, int limit) {
        String from = after.isEmpty() ? "" : EntryId.parse(after).laneKey();
        Scan scan = new Scan(queue, "", LANES, KeyRange.ofPrefix(lane + "-"), from, limit);
        return store.scan(scan).stream().map(this::queued).toList();
    }

    /**
     * Returns pending and failed entries of the next lanes that have any: all that are returned of one lane are in order, from its oldest on.
     *
     * @param lane the digest of the lane before; empty to start
     */
    List<Queued> lanesAfter(String lane, int limit) {
        String after = lane.isEmpty() ? "" : lane + ABOVE_ALL;
        Scan scan = new Scan(queue, "", LANES, KeyRange.ofPrefix(""), after, limit);
        return store.scan(scan).stream().map(this::queued).toList();
    }

    private Queued queued(Document document) {
        return new Queued(entry(document), document);
    }

    /**
     * Writes an entry, and gives the claim up.
     *
     * @return false if the claim is lost, or if the entry is not in the queue any more; then the entry is not written
     */
    boolean update(Claim claim, Queued current, OutboxEntry changed) {
        return transactions.run(tx -> {
            boolean held = claim.isHeld(tx);
            if (held) {
                claim.release(tx);
            }
            Optional<Document> stored = tx.expect(current.document());
            if (!held || stored.isEmpty()) {
                return false;
            }
            write(tx, stored.get(), changed);
            return true;
        });
    }

    /** Writes an entry that the transaction has read. */
    private void write(Transaction tx, Document current, OutboxEntry changed) {
        EntryId id = EntryId.parse(changed.id());
        boolean wasFailed = readable(current).status() == Status.FAILED;
        boolean isFailed = changed.status() == Status.FAILED;
        tx.put(current.updated(tx.now(), EntryCodec.encode(changed)), indexEntries(changed));
        if (isFailed && !wasFailed && tx.read(failed(id)).isEmpty()) {
            tx.put(Document.created(failed(id), tx.now(), null, EMPTY), List.of());
        }
        if (!isFailed && wasFailed) {
            deleteMark(tx, id);
        }
    }

    private void deleteMark(Transaction tx, EntryId id) {
        if (tx.read(failed(id)).isPresent()) {
            tx.delete(failed(id), List.of());
        }
    }

    /**
     * Moves an entry from the queue to the confirmed ones.
     *
     * @param isLast whether to give the claim up
     * @return false if the claim is lost, or if the entry is not in the queue any more; then the entry is not written
     */
    boolean confirm(Claim claim, Queued current, OutboxEntry confirmed, boolean isLast) {
        EntryId id = EntryId.parse(confirmed.id());
        return transactions.run(tx -> {
            boolean held = claim.isHeld(tx);
            if (held && isLast) {
                claim.release(tx);
            }
            Optional<Document> stored = tx.expect(current.document());
            if (!held || stored.isEmpty()) {
                return false;
            }
            remove(tx, stored.get(), current.entry());
            if (!keepConfirmed.isZero() && tx.expectAbsent(confirmed(id)).isEmpty()) {
                Instant expiresAt = tx.now().plus(keepConfirmed);
                tx.put(
                        Document.created(confirmed(id), tx.now(), expiresAt, EntryCodec.encode(confirmed)),
                        indexEntries(confirmed));
            }
            return true;
        });
    }

    /** Deletes an entry that the transaction has read from the queue. */
    private void remove(Transaction tx, Document current, OutboxEntry entry) {
        tx.delete(current.id(), indexEntries(entry));
        if (entry.status() == Status.FAILED) {
            deleteMark(tx, EntryId.parse(current.key()));
        }
    }

    /** Returns what notifies the senders of this process. */
    LaneHooks hooks() {
        return hooks;
    }

    void notifyHooks(String lane) {
        hooks.notify(lane);
    }

    DocumentId queued(EntryId id) {
        return new DocumentId(queue, "", id.key());
    }

    DocumentId failed(EntryId id) {
        return new DocumentId(failed, "", id.key());
    }

    DocumentId confirmed(EntryId id) {
        return new DocumentId(done, "", id.key());
    }

    /** Returns the id of the document that shows which sender has claimed a lane. */
    DocumentId claim(String lane) {
        return new DocumentId(collection("lanes"), "", lane);
    }

    /** Returns the index entries of an entry, as it was added and as it is now. One that cannot be read is only found by its lane. */
    static List<IndexEntry> indexEntries(OutboxEntry entry) {
        IndexEntry lane = new IndexEntry(LANES, EntryId.parse(entry.id()).laneKey());
        return entry.clientTxId().isEmpty()
                ? List.of(lane)
                : List.of(lane, new IndexEntry(TRANSACTIONS, entry.clientTxId()));
    }

    /** Whether an entry with a given transaction id is in the queue, or was confirmed and has not expired. */
    boolean hasTransaction(String clientTxId) {
        return clientTxId.matches("[!-~]{1,255}")
                && (hasTransaction(queue, clientTxId) || hasTransaction(done, clientTxId));
    }

    private boolean hasTransaction(String collection, String clientTxId) {
        Scan scan = new Scan(collection, "", TRANSACTIONS, KeyRange.ofKey(clientTxId), "", 1);
        return !store.scan(scan).isEmpty();
    }

    /** Returns the entry of a document. One that cannot be read is shown as failed, so it stops its lane, and people see why. */
    OutboxEntry entry(Document document) {
        try {
            return EntryCodec.decode(document.key(), document.data());
        } catch (UnreadableException e) {
            return new OutboxEntry(
                    document.key(),
                    "",
                    "",
                    "unreadable",
                    "",
                    "",
                    "",
                    Payload.of(""),
                    EntryId.parse(document.key()).lane(),
                    Status.FAILED,
                    0,
                    document.createdAt(),
                    document.createdAt(),
                    null,
                    Reason.INVALID,
                    e.getMessage(),
                    null);
        }
    }

    /** @throws StoreException if it cannot be read, and must not be overwritten */
    private static OutboxEntry readable(Document document) {
        try {
            return EntryCodec.decode(document.key(), document.data());
        } catch (UnreadableException e) {
            throw StoreException.rejected(String.valueOf(e.getMessage()), e);
        }
    }
}
