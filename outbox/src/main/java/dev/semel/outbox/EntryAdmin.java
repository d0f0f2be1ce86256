package dev.semel.outbox;

import dev.semel.document.Transaction;
import dev.semel.key.KeyRange;
import dev.semel.outbox.EntryCodec.UnreadableException;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.store.Document;
import dev.semel.store.StoreException;
import dev.semel.store.spi.DocumentStore.Scan;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What people decide about entries. Large numbers of entries are processed page by page. Thread-safe. */
final class EntryAdmin {

    /** How many entries are read together. */
    static final int PAGE = 50;

    private final EntryStore entries;

    EntryAdmin(EntryStore entries) {
        this.entries = entries;
    }

    boolean retry(String id) {
        if (!EntryId.isId(id)) {
            return false;
        }
        EntryId key = EntryId.parse(id);
        boolean isRetried = entries.transactions().run(tx -> {
            Optional<Document> current = tx.read(entries.queued(key));
            return current.isPresent() && retry(tx, current.get());
        });
        if (isRetried) {
            entries.notifyHooks(key.lane());
        }
        return isRetried;
    }

    /**
     * Lets an entry that the transaction has read be sent again, if it has failed.
     *
     * @throws StoreException if it cannot be read, and must not be overwritten
     */
    private boolean retry(Transaction tx, Document current) {
        OutboxEntry entry;
        try {
            entry = EntryCodec.decode(current.key(), current.data());
        } catch (UnreadableException e) {
            throw StoreException.rejected(String.valueOf(e.getMessage()), e);
        }
        EntryId id = EntryId.parse(current.key());
        deleteMark(tx, id);
        if (entry.status() != Status.FAILED) {
            return false;
        }
        tx.put(current.updated(tx.now(), EntryCodec.encode(pending(entry, tx.now()))), EntryStore.indexEntries(entry));
        tx.notifyWatchers();
        return true;
    }

    /** Returns a failed entry as one to be sent now. If its key had expired, as one that was never sent. */
    private static OutboxEntry pending(OutboxEntry failed, Instant now) {
        return new OutboxEntry(
                failed.id(),
                failed.idempotencyKey(),
                failed.clientTxId(),
                failed.operation(),
                failed.method(),
                failed.endpoint(),
                failed.contentType(),
                failed.payload(),
                failed.lane(),
                Status.PENDING,
                0,
                now,
                failed.createdAt(),
                failed.reason() == Reason.EXPIRED ? null : failed.firstSentAt(),
                null,
                failed.lastError(),
                null);
    }

    private void deleteMark(Transaction tx, EntryId id) {
        if (tx.read(entries.failed(id)).isPresent()) {
            tx.delete(entries.failed(id), List.of());
        }
    }

    long retryAll() {
        long retried = 0;
        String last = "";
        while (true) {
            Scan scan = new Scan(entries.collection("failed"), "", "", KeyRange.ofPrefix(""), last, PAGE);
            List<EntryId> marks = ids(entries.store().scan(scan));
            if (marks.isEmpty()) {
                return retried;
            }
            RetriedPage page = entries.transactions().run(tx -> retryPage(tx, marks));
            page.ids.forEach(id -> entries.notifyHooks(id.lane()));
            retried += page.ids.size();
            last = page.last;
        }
    }

    /**
     * The result of a transaction.
     *
     * @param ids the entries that are sent again
     * @param last the last mark that was read
     */
    private record RetriedPage(List<EntryId> ids, String last) {}

    /** Lets marked entries be sent again, until it has read enough bytes for a transaction. */
    private RetriedPage retryPage(Transaction tx, List<EntryId> marks) {
        List<EntryId> retried = new ArrayList<>();
        String last = "";
        long bytes = 0;
        for (EntryId id : marks) {
            if (bytes >= Scan.ENOUGH_BYTES) {
                break;
            }
            last = id.key();
            Optional<Document> current = tx.read(entries.queued(id));
            if (current.isEmpty()) {
                deleteMark(tx, id);
            } else {
                bytes += current.get().data().length();
                if (isReadable(current.get()) && retry(tx, current.get())) {
                    retried.add(id);
                }
            }
        }
        return new RetriedPage(retried, last);
    }

    private static boolean isReadable(Document document) {
        try {
            EntryCodec.decode(document.key(), document.data());
            return true;
        } catch (UnreadableException e) {
            return false;
        }
    }

    boolean discard(String id) {
        if (!EntryId.isId(id)) {
            return false;
        }
        EntryId key = EntryId.parse(id);
        boolean isDiscarded = entries.transactions().run(tx -> {
            Optional<Document> current = tx.read(entries.queued(key));
            if (current.isEmpty()) {
                return false;
            }
            tx.delete(entries.queued(key), EntryStore.indexEntries(entries.entry(current.get())));
            deleteMark(tx, key);
            // the sender that has claimed the lane has to read it again, as it may have read the entry
            Optional<Document> claim = tx.read(entries.claim(key.lane()));
            claim.ifPresent(document -> tx.put(document.updated(tx.now(), document.data()), List.of()));
            tx.notifyWatchers();
            return true;
        });
        if (isDiscarded) {
            entries.notifyHooks(key.lane());
        }
        return isDiscarded;
    }

    /**
     * Adds an entry that cannot be read to the failed ones, so that people find it there. Such an entry is not changed itself.
     *
     * @return false if there is no such entry, if it can be read, or if it was marked before
     */
    boolean markUnreadable(String id) {
        EntryId key = EntryId.parse(id);
        return entries.transactions().run(tx -> {
            Optional<Document> current = tx.read(entries.queued(key));
            if (current.isEmpty()
                    || isReadable(current.get())
                    || tx.read(entries.failed(key)).isPresent()) {
                return false;
            }
            tx.put(Document.created(entries.failed(key), tx.now(), null, EntryStore.EMPTY), List.of());
            return true;
        });
    }

    long purge(Duration olderThan) {
        if (olderThan.isNegative()) {
            throw new IllegalArgumentException("The age of confirmed entries must not be negative: " + olderThan);
        }
        Instant now = entries.store().clock().instant();
        long purged = 0;
        String last = "";
        while (true) {
            Scan scan = new Scan(entries.collection("done"), "", "", KeyRange.ofPrefix(""), last, PAGE);
            List<Document> page = entries.store().scan(scan);
            if (page.isEmpty()) {
                return purged;
            }
            last = page.get(page.size() - 1).key();
            purged += delete(ids(page.stream()
                    .filter(document -> isAsOld(document, olderThan, now))
                    .toList()));
        }
    }

    /** Whether an entry was confirmed so long ago. Its document was created then. */
    private static boolean isAsOld(Document confirmed, Duration age, Instant now) {
        return Duration.between(confirmed.createdAt(), now).compareTo(age) >= 0;
    }

    private int delete(List<EntryId> confirmed) {
        if (confirmed.isEmpty()) {
            return 0;
        }
        return entries.transactions().run(tx -> {
            int deleted = 0;
            for (EntryId id : confirmed) {
                Optional<Document> current = tx.read(entries.confirmed(id));
                if (current.isPresent()) {
                    tx.delete(entries.confirmed(id), EntryStore.indexEntries(entries.entry(current.get())));
                    deleted++;
                }
            }
            return deleted;
        });
    }

    private static List<EntryId> ids(List<Document> documents) {
        return documents.stream().map(document -> EntryId.parse(document.key())).toList();
    }
}
