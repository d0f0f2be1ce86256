package dev.semel.outbox;

import dev.semel.id.MalformedException;
import dev.semel.key.KeyRange;
import dev.semel.outbox.Outbox.Page;
import dev.semel.outbox.Outbox.Query;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.store.Document;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lists the entries of an outbox in pages. A page reads a bounded number of documents and of bytes. Thread-safe.
 *
 * <p>A page starts after a cursor: the first letter of a {@link Part}, and the id of the last entry that the previous page has read.
 */
final class EntryListing {

    /** A page that finds nothing in this many documents ends. */
    static final int MOST_READ = 10_000;

    /** How many marks of failed entries are read together. They are small. */
    private static final int MARKS = 1_000;

    private static final Pattern CURSOR = Pattern.compile("[cq].+");

    private final EntryStore entries;

    EntryListing(EntryStore entries) {
        this.entries = entries;
    }

    /** What is listed from one collection. Confirmed entries are listed first. */
    private enum Part {
        CONFIRMED,
        QUEUED;

        char letter() {
            return this == CONFIRMED ? 'c' : 'q';
        }

        boolean mayHave(@Nullable Status status) {
            return status == null || (status == Status.CONFIRMED) == (this == CONFIRMED);
        }
    }

    /** Where a page starts: in a part, after an id, which is empty at its start. */
    private record Cursor(Part part, String id) {

        static Cursor parse(String text) {
            if (text.isEmpty()) {
                return new Cursor(Part.CONFIRMED, "");
            }
            return new Cursor(
                    text.charAt(0) == Part.CONFIRMED.letter() ? Part.CONFIRMED : Part.QUEUED, text.substring(1));
        }

        @Override
        public String toString() {
            return part.letter() + id;
        }
    }

    /** @throws IllegalArgumentException if a cursor does not come from a page of entries with this status and lane */
    static void check(@Nullable Status status, @Nullable String lane, String after) {
        if (after.isEmpty()) {
            return;
        }
        boolean isOurs = CURSOR.matcher(after).matches() && EntryId.isId(after.substring(1));
        boolean isFiltered = status == Status.FAILED; // a page may end at an entry of another lane
        if (!isOurs || !Cursor.parse(after).part.mayHave(status) || !(isFiltered || isIn(lane, after.substring(1)))) {
            throw new IllegalArgumentException(
                    "No page of entries with this status and lane ends at " + MalformedException.quote(after));
        }
    }

    private static boolean isIn(@Nullable String lane, String id) {
        return lane == null || EntryId.parse(id).lane().equals(EntryId.digest(lane));
    }

    Page list(Query query) {
        Reading reading = new Reading(query);
        List<OutboxEntry> found = new ArrayList<>();
        String last = query.after();
        int read = 0;
        long bytes = 0;
        for (Located next = reading.next(); next != null; next = reading.next()) {
            if (found.size() == query.limit() || read == MOST_READ || bytes >= Scan.ENOUGH_BYTES) {
                return new Page(List.copyOf(found), last);
            }
            read++;
            last = new Cursor(next.part, next.document.key()).toString();
            Optional<Document> document =
                    isIn(query.lane(), next.document.key()) ? entry(query, next) : Optional.empty();
            bytes += document.map(each -> each.data().length()).orElse(0);
            document.map(entries::entry)
                    .filter(entry -> query.status() == null || query.status() == entry.status())
                    .ifPresent(found::add);
        }
        return new Page(List.copyOf(found), "");
    }

    private static boolean isFailedOnly(Query query) {
        return query.status() == Status.FAILED;
    }

    /** Returns the document of an entry. A failed one is found by its mark; another process may have deleted it meanwhile. */
    private Optional<Document> entry(Query query, Located read) {
        return isFailedOnly(query)
                ? entries.store().read(entries.queued(EntryId.parse(read.document.key())))
                : Optional.of(read.document);
    }

    /** A document that has been read. */
    private record Located(Part part, Document document) {}

    /** Reads documents one after another, in batches. */
    private final class Reading {

        private final Query query;
        private final DocumentStore store = entries.store();
        private final Deque<Document> batch = new ArrayDeque<>();
        private Cursor cursor;
        private boolean isLastBatch;

        Reading(Query query) {
            this.query = query;
            this.cursor = Cursor.parse(query.after());
            this.isLastBatch = !cursor.part.mayHave(query.status());
        }

        @Nullable Located next() {
            while (batch.isEmpty()) {
                if (!isLastBatch) {
                    readBatch();
                } else if (cursor.part == Part.CONFIRMED && Part.QUEUED.mayHave(query.status())) {
                    cursor = new Cursor(Part.QUEUED, "");
                    isLastBatch = false;
                } else {
                    return null;
                }
            }
            Document document = batch.remove();
            cursor = new Cursor(cursor.part, document.key());
            return new Located(cursor.part, document);
        }

        private void readBatch() {
            Scan scan = scan();
            List<Document> found = store.scan(scan);
            batch.addAll(found);
            long bytes = found.stream()
                    .mapToLong(document -> document.data().length())
                    .sum();
            isLastBatch = found.size() < scan.limit() && bytes < Scan.ENOUGH_BYTES;
        }

        /** Returns a scan of one document more than a page can have, so that most pages need only one. */
        private Scan scan() {
            int limit = query.limit() + 1;
            String lane = query.lane();
            if (isFailedOnly(query)) {
                return new Scan(entries.collection("failed"), "", "", KeyRange.ofPrefix(""), cursor.id, MARKS);
            }
            String collection = entries.collection(cursor.part == Part.CONFIRMED ? "done" : "queue");
            if (lane == null) {
                return new Scan(collection, "", "", KeyRange.ofPrefix(""), cursor.id, limit);
            }
            KeyRange range = KeyRange.ofPrefix(EntryId.digest(lane) + "-");
            String after = cursor.id.isEmpty() ? "" : EntryId.parse(cursor.id).laneKey();
            return new Scan(collection, "", EntryIds.LANES, range, after, limit);
        }
    }
}
