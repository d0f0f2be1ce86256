package dev.semel.outbox;

import dev.semel.document.Transaction;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

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

    private static final Pattern NAME = Pattern.compile("[a-z0-9_]{1,32}");

    private final EntryStore entries;

    private Outbox(EntryStore entries) {
        this.entries = entries;
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
        return new Outbox(new EntryStore(store, name, keepConfirmed, time));
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

    /** Returns the entry with a given id; empty if there is none, or if it was confirmed and has expired. */
    public Optional<OutboxEntry> find(String id) {
        return entries.find(id);
    }
}
