package dev.semel.outbox;

import dev.semel.document.Transaction;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A durable queue of HTTP requests in a store. A processor sends them. Thread-safe.
 *
 * <pre>{@code
 * Outbox outbox = Outbox.on(store);
 * outbox.add(OutboxRequest.post("/v1/feed/posts").operation("create_post").json("{\"text\":\"hello\"}"));
 * }</pre>
 */
public final class Outbox {

    /** Name of the outbox for which no other is chosen. */
    public static final String DEFAULT_NAME = "outbox";

    /** How long confirmed entries are kept unless another time is chosen. */
    public static final Duration DEFAULT_KEEP_CONFIRMED = Duration.ofDays(7);

    private static final Duration LONGEST = Duration.ofDays(36_525);
    private static final Pattern NAME = Pattern.compile("[a-z0-9_]{1,32}");

    private final EntryStore entries;
    private final EntryListing listing;
    private final EntryAdmin admin;

    private Outbox(EntryStore entries) {
        this.entries = entries;
        this.listing = new EntryListing(entries);
        this.admin = new EntryAdmin(entries);
    }

    /** Returns the outbox with the default name in a store. */
    public static Outbox on(DocumentStore store) {
        return on(store, DEFAULT_NAME);
    }

    /**
     * Returns an outbox in a store, which may have several.
     *
     * @param name 1 to 32 lower-case letters, digits and {@code _}
     * @throws IllegalArgumentException if the name is malformed
     */
    public static Outbox on(DocumentStore store, String name) {
        return on(store, name, DEFAULT_KEEP_CONFIRMED);
    }

    /**
     * Returns an outbox in a store, which may have several.
     *
     * @param name 1 to 32 lower-case letters, digits and {@code _}
     * @param keepConfirmed how long confirmed entries are kept; zero to delete them at once
     * @throws IllegalArgumentException if the name is malformed, or the time is negative
     */
    public static Outbox on(DocumentStore store, String name, Duration keepConfirmed) {
        return on(store, name, keepConfirmed, Time.system());
    }

    static Outbox on(DocumentStore store, String name, Duration keepConfirmed, Time time) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "The name of an outbox must have 1 to 32 characters of a-z, 0-9 and _, not '" + name + "'");
        }
        if (keepConfirmed.isNegative()) {
            throw new IllegalArgumentException("Confirmed entries cannot be kept for " + keepConfirmed);
        }
        return new Outbox(new EntryStore(store, name, bounded(keepConfirmed), time));
    }

    /** Returns at most a hundred years, since longer ones cannot be added to a time. */
    static Duration bounded(Duration duration) {
        return duration.compareTo(LONGEST) < 0 ? duration : LONGEST;
    }

    EntryStore entries() {
        return entries;
    }

    /**
     * Adds an entry. When this returns, the entry is stored as durably as the store promises, and a processor sends it.
     *
     * @throws StoreException if the store fails; if the exception is {@linkplain StoreException#isCertain() not certain}, the entry may have
     *     been added
     */
    public OutboxEntry add(OutboxRequest request) {
        return entries.add(request);
    }

    /**
     * Adds an entry in a transaction. It is sent only if the transaction commits.
     *
     * @param tx a transaction of the same store
     * @throws StoreException if the store fails
     */
    public OutboxEntry add(Transaction tx, OutboxRequest request) {
        return entries.add(tx, request);
    }

    /**
     * Adds an entry in a JDBC transaction of the application. It is sent only if the transaction commits. In its lane it follows all entries that
     * the transaction sees. Two transactions that add to a lane at the same time have no order.
     *
     * @param connection a connection to the database of the store, with auto-commit off
     * @throws IllegalArgumentException if the connection is in auto-commit mode
     * @throws UnsupportedOperationException if the store is not in a database that applications use by JDBC
     * @throws StoreException if the database fails; then the transaction can only be rolled back
     */
    public OutboxEntry add(Connection connection, OutboxRequest request) {
        return entries.add(connection, request);
    }

    /** Returns the entry with a given id; empty if there is none, or if it was confirmed and has expired. */
    public Optional<OutboxEntry> find(String id) {
        return entries.find(id);
    }

    /**
     * Selects entries to list.
     *
     * @param status only entries with this status; null for all
     * @param lane only entries of this lane; null for all
     * @param after the {@link Page#next} of the previous page; empty to start
     * @param limit the most entries of a page
     */
    public record Query(@Nullable Status status, @Nullable String lane, String after, int limit) {

        /** The most entries of a page. */
        public static final int MOST_ENTRIES = 1_000;

        private static final int USUAL_ENTRIES = 50;

        /**
         * Checks the query.
         *
         * @throws IllegalArgumentException if the limit is not within 1 to {@value #MOST_ENTRIES}, or if {@code after} does not come from a page
         *     of entries with this status and lane
         */
        public Query {
            if (limit < 1 || limit > MOST_ENTRIES) {
                throw new IllegalArgumentException(
                        "A page has 1 to " + MOST_ENTRIES + " entries; the limit must not be " + limit);
            }
            EntryListing.check(status, lane, after);
        }

        /** Selects the first page of all entries. */
        public static Query all() {
            return new Query(null, null, "", USUAL_ENTRIES);
        }

        /** Returns this query for the page after another. */
        public Query after(Page page) {
            return new Query(status, lane, page.next(), limit);
        }
    }

    /**
     * A page of entries. It may have fewer than the limit, even none, although it is not the last: it also ends when it has read some megabytes.
     *
     * @param entries in the order of adding; those that are confirmed precede those in the queue
     * @param next where the next page starts; empty if this is the last page
     */
    public record Page(List<OutboxEntry> entries, String next) {}

    /**
     * Returns a page of entries. An entry that is confirmed after the first page was read may be on none of the pages.
     *
     * @throws StoreException if the store fails
     */
    public Page list(Query query) {
        return listing.list(query);
    }

    /**
     * Lets a failed entry be sent again, with the same key. Its lane continues with it. An entry that has failed because its key had expired is
     * then sent as if for the first time.
     *
     * @return false if there is no such entry, or if it has not failed
     * @throws StoreException if the store fails, or if the entry is damaged or was written by a newer version
     */
    public boolean retry(String id) {
        return admin.retry(id);
    }

    /**
     * Lets all failed entries be sent again, as {@link #retry} does, and returns how many there were. Entries that are damaged or were written by
     * a newer version stay as they are.
     *
     * @throws StoreException if the store fails; then some of them may be sent again
     */
    public long retryAll() {
        return admin.retryAll();
    }

    /**
     * Deletes an entry that is pending or has failed. Its lane continues with the next one. If the entry is being sent, or was sent before, the
     * API may have processed it.
     *
     * @return false if there is no such entry
     * @throws StoreException if the store fails
     */
    public boolean discard(String id) {
        return admin.discard(id);
    }

    /**
     * Deletes confirmed entries.
     *
     * @param olderThan how long ago they were confirmed at least
     * @return how many were deleted
     * @throws IllegalArgumentException if the time is negative
     * @throws StoreException if the store fails; then some of them may be deleted
     */
    public long purge(Duration olderThan) {
        return admin.purge(olderThan);
    }

    /** Counts what waits. Reads up to {@value Backlog#MOST} entries. */
    public Backlog backlog() {
        return Backlog.of(entries);
    }
}
