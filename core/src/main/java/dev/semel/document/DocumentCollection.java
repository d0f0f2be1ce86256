package dev.semel.document;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.semel.document.Transactions.WriteConflictException;
import dev.semel.id.IdFormat.Fault;
import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A collection of documents: its name, the template of its keys, and its secondary indexes.
 *
 * <p>A collection is declared once and works with any {@link DocumentStore}. It is immutable. Changes run in a {@link Transaction}. Each
 * returns a {@link WriteResult} and never overwrites a document that its caller has not seen.
 *
 * <p>A secondary index has the same parts as the key, in another order. So each document has exactly one entry in each index, which is
 * written and deleted in the same commit. A query reads only the documents that it returns.
 */
public final class DocumentCollection {

    /** The most documents on a page. */
    public static final int LARGEST_PAGE = 1000;

    private static final int MOST_MINTS = 100;
    private static final Duration LONGEST_TTL = Duration.ofDays(36_525);

    /** Pauses between the retries of an {@linkplain #upsert upsert}. */
    public static final List<Duration> UPSERT_BACKOFF =
            List.of(Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(400));

    private final String collection;
    private final String owner;
    private final KeyTemplate key;
    private final List<KeyTemplate> indexes;
    private final @Nullable List<String> orderedWithin; // the parts that select an index in commit order

    private DocumentCollection(
            String collection,
            String owner,
            KeyTemplate key,
            List<KeyTemplate> indexes,
            @Nullable List<String> orderedWithin) {
        this.collection = collection;
        this.owner = owner;
        this.key = key;
        this.indexes = indexes;
        this.orderedWithin = orderedWithin;
    }

    /**
     * Declares a collection.
     *
     * @param indexes secondary indexes: other orders of the parts of the key
     * @throws IllegalArgumentException if an index has other parts than the key, or is declared twice
     * @throws MalformedException if the collection's name is malformed
     */
    public static DocumentCollection of(String collection, KeyTemplate key, KeyTemplate... indexes) {
        var checked = new DocumentId(collection, "", "x");
        Set<KeyTemplate> known = new HashSet<>(Set.of(key));
        for (KeyTemplate index : indexes) {
            if (!Set.copyOf(index.parts()).equals(Set.copyOf(key.parts()))) {
                throw new IllegalArgumentException("The index " + index + " does not have the same parts as " + key);
            }
            if (!known.add(index)) {
                throw new IllegalArgumentException("The key " + index + " is declared twice");
            }
        }
        return new DocumentCollection(checked.collection(), "", key, List.of(indexes), null);
    }

    /**
     * Returns this collection with an index in commit order. A transaction can create one document in each order, since a commit has one
     * sequence number.
     *
     * @param within the parts of the key whose values select an order; none for one order of all documents
     * @throws IllegalArgumentException if the key has no such part
     */
    public DocumentCollection inCommitOrder(String... within) {
        Set<String> parts = Set.copyOf(leadingParts(key, key.parts().size()));
        if (!parts.containsAll(List.of(within))) {
            throw new IllegalArgumentException("Not all of " + List.of(within) + " are parts of " + key);
        }
        return new DocumentCollection(collection, owner, key, indexes, List.of(within));
    }

    /**
     * Returns this collection as a private collection of a user, who sees only their own documents.
     *
     * @throws MalformedException if the user is malformed
     */
    public DocumentCollection ownedBy(String user) {
        return new DocumentCollection(collection, IdempotencyKey.checkUser("user", user), key, indexes, orderedWithin);
    }

    /** Returns the name of the collection. */
    public String collection() {
        return collection;
    }

    /** Returns the template of the keys. */
    public KeyTemplate key() {
        return key;
    }

    /**
     * Returns the document with a given key; empty if there is none or it has expired.
     *
     * @param reader a store or a transaction
     * @throws MalformedException if the key does not match the template
     */
    public Optional<Document> read(Document.Reader reader, String key) {
        return reader.read(id(key));
    }

    /**
     * Creates a document with a given key.
     *
     * @return {@link WriteResult.Written}, or {@link WriteResult.Taken} if the key is in use
     * @throws MalformedException if the key does not match the template
     */
    public WriteResult create(Transaction tx, String key, Json data) {
        return create(tx, key, data, null);
    }

    /**
     * Creates a document with a given key that expires.
     *
     * @param ttl time until it expires, at most a hundred years; null for never
     * @return {@link WriteResult.Written}, or {@link WriteResult.Taken} if the key is in use
     * @throws MalformedException if the key does not match the template
     * @throws IllegalArgumentException if the time is longer
     */
    public WriteResult create(Transaction tx, String key, Json data, @Nullable Duration ttl) {
        return create(tx, Document.created(id(key), tx.now(), expiresAt(tx, ttl), data));
    }

    private WriteResult create(Transaction tx, Document created) {
        Optional<Document> inTheWay = tx.expectAbsent(created.id());
        return inTheWay.isPresent()
                ? new WriteResult.Taken(inTheWay.get())
                : new WriteResult.Written(tx.put(created, indexEntries(created)));
    }

    /**
     * Creates a document with a given key, version and times, such as a copy of a document from another store.
     *
     * @return {@link WriteResult.Written}, or {@link WriteResult.Taken} if the key is in use
     * @throws MalformedException if the key does not match the template
     * @throws IllegalArgumentException if the version is below 1, or if the document would be updated before it is created
     */
    public WriteResult createCopy(
            Transaction tx, String key, long version, Instant createdAt, Instant updatedAt, Json data) {
        if (version < 1 || updatedAt.isBefore(createdAt)) {
            throw new IllegalArgumentException("A copy must have a version from 1 on, not " + version
                    + ", and must not be updated before it is created");
        }
        return create(tx, new Document(id(key), version, createdAt, updatedAt, null, data, "", 0));
    }

    private static @Nullable Instant expiresAt(Transaction tx, @Nullable Duration ttl) {
        if (ttl != null && ttl.compareTo(LONGEST_TTL) > 0) {
            throw new IllegalArgumentException(
                    "A ttl must be at most a hundred years, not " + ttl + "; null means that it does not expire");
        }
        return ttl == null ? null : tx.now().plus(ttl);
    }

    /**
     * Creates a document with a generated key. If the key is in use, tries another.
     *
     * @param keys generates keys, such as {@code IdSchemes.TID62::mint}
     * @throws IllegalStateException if {@value #MOST_MINTS} keys in a row are in use
     */
    public Document createMinted(Transaction tx, Supplier<String> keys, Json data) {
        return createMinted(tx, keys, data, null);
    }

    /**
     * Creates a document with a generated key that expires.
     *
     * @param keys generates keys, such as {@code IdSchemes.TID62::mint}
     * @param ttl time until it expires, at most a hundred years; null for never
     * @throws IllegalArgumentException if the time is longer
     * @throws IllegalStateException if {@value #MOST_MINTS} keys in a row are in use
     */
    public Document createMinted(Transaction tx, Supplier<String> keys, Json data, @Nullable Duration ttl) {
        for (int i = 0; i < MOST_MINTS; i++) {
            if (create(tx, keys.get(), data, ttl) instanceof WriteResult.Written written) {
                return written.document();
            }
        }
        throw new IllegalStateException(
                "The collection " + collection + " already has each of " + MOST_MINTS + " generated keys");
    }

    /**
     * Replaces the data of a document if it has a given version. A document that was deleted and created again starts at version 1. If the
     * document expires, it still does so at the same time.
     *
     * @return {@link WriteResult.Written}, {@link WriteResult.Stale} or {@link WriteResult.Missing}
     * @throws MalformedException if the key does not match the template
     */
    public WriteResult update(Transaction tx, String key, long version, Json data) {
        return change(tx, key, version, current -> {
            Document updated = current.updated(tx.now(), data);
            return tx.put(updated, indexEntries(updated));
        });
    }

    /**
     * Replaces the data and the TTL of a document if it has a given version.
     *
     * @param ttl time until it expires, counted from now, at most a hundred years; null for never
     * @return {@link WriteResult.Written}, {@link WriteResult.Stale} or {@link WriteResult.Missing}
     * @throws MalformedException if the key does not match the template
     * @throws IllegalArgumentException if the time is longer
     */
    public WriteResult update(Transaction tx, String key, long version, Json data, @Nullable Duration ttl) {
        Instant expiresAt = expiresAt(tx, ttl);
        return change(tx, key, version, current -> {
            Document updated = current.updated(tx.now(), data).withExpiresAt(expiresAt);
            return tx.put(updated, indexEntries(updated));
        });
    }

    /**
     * Deletes a document if it has a given version.
     *
     * @return {@link WriteResult.Written}, {@link WriteResult.Stale} or {@link WriteResult.Missing}
     * @throws MalformedException if the key does not match the template
     */
    public WriteResult delete(Transaction tx, String key, long version) {
        return change(tx, key, version, current -> remove(tx, current));
    }

    /**
     * Deletes a document of any version.
     *
     * @return {@link WriteResult.Written} or {@link WriteResult.Missing}
     * @throws MalformedException if the key does not match the template
     */
    public WriteResult delete(Transaction tx, String key) {
        Optional<Document> current = tx.read(id(key));
        return current.isEmpty() ? new WriteResult.Missing() : new WriteResult.Written(remove(tx, current.get()));
    }

    private Document remove(Transaction tx, Document current) {
        tx.delete(current.id(), indexEntries(current));
        return current;
    }

    private WriteResult change(Transaction tx, String key, long version, Function<Document, Document> change) {
        Optional<Document> found = tx.read(id(key));
        if (found.isEmpty()) {
            return new WriteResult.Missing();
        }
        Document current = found.get();
        return current.version() == version
                ? new WriteResult.Written(change.apply(current))
                : new WriteResult.Stale(current);
    }

    /**
     * Creates or updates a document, in a separate transaction. On a write conflict, reads the document again and retries after 100, 200
     * and 400 ms.
     *
     * @param change returns the new data, given the current document; called again for each retry
     * @return {@link WriteResult.Written}. If every retry conflicted, nothing was written, and the result is {@link WriteResult.Stale}
     *     with the current document, or {@link WriteResult.Missing} if it was deleted
     * @throws MalformedException if the key does not match the template
     */
    public WriteResult upsert(Transactions transactions, String key, Function<Optional<Document>, Json> change) {
        DocumentId id = id(key);
        try {
            return transactions.run(
                    tx -> {
                        Optional<Document> current = tx.read(id);
                        Json data = change.apply(current);
                        return current.isEmpty()
                                ? create(tx, key, data)
                                : update(tx, key, current.get().version(), data);
                    },
                    UPSERT_BACKOFF);
        } catch (WriteConflictException e) {
            if (!e.id().equals(id)) {
                throw e; // the change read or wrote another document, which conflicted
            }
            Optional<Document> current = transactions.store().read(id);
            return current.isEmpty() ? new WriteResult.Missing() : new WriteResult.Stale(current.get());
        }
    }

    /**
     * Returns a page of the documents whose key parts have given values. The page is in the order of the key or index that starts with
     * these parts.
     *
     * @param parts values of the leading parts of the key or of an index
     * @param after cursor of the previous page; null for the first page
     * @param limit the most documents, 1 to {@value #LARGEST_PAGE}
     * @throws IllegalArgumentException if neither the key nor an index starts with these parts, or if the limit is out of range
     * @throws MalformedException if a value is malformed, or if the cursor is malformed or belongs to another query
     */
    public Page find(DocumentStore store, Map<String, String> parts, @Nullable String after, int limit) {
        for (KeyTemplate template : (Iterable<KeyTemplate>) keys()::iterator) {
            if (!parts.isEmpty() && leadingParts(template, parts.size()).equals(parts.keySet())) {
                return page(store, template, template.range(parts), after, limit);
            }
        }
        throw new IllegalArgumentException("No key or index of " + collection + " starts with " + parts.keySet()
                + "; it can be queried by "
                + queries().stream().map(Set::toString).collect(Collectors.joining(", ")));
    }

    /** Returns the sets of parts by which documents can be {@linkplain #find found}: the leading parts of the key and of each index. */
    public List<Set<String>> queries() {
        return keys().flatMap(
                        template -> IntStream.rangeClosed(1, template.parts().size())
                                .mapToObj(count -> leadingParts(template, count)))
                .distinct()
                .toList();
    }

    /**
     * Returns a page of the documents whose keys are in a range, in key order.
     *
     * @param after cursor of the previous page; null for the first page
     * @param limit the most documents, 1 to {@value #LARGEST_PAGE}
     * @throws IllegalArgumentException if the limit is out of range
     * @throws MalformedException if the cursor is malformed or belongs to another query
     */
    public Page scan(DocumentStore store, KeyRange range, @Nullable String after, int limit) {
        return page(store, key, range, after, limit);
    }

    /**
     * Returns a page of documents in descending commit order. The pages together contain every document that existed when the first page
     * was read, unless it was deleted meanwhile.
     *
     * @param parts values of the parts that select an order, see {@link #inCommitOrder}
     * @param after cursor of the previous page; null for the first page
     * @param limit the most documents, 1 to {@value #LARGEST_PAGE}
     * @throws IllegalArgumentException if the collection has no such order, or if the limit is out of range
     * @throws MalformedException if a value is malformed, or if the cursor is malformed or belongs to another query
     */
    public Page newest(DocumentStore store, Map<String, String> parts, @Nullable String after, int limit) {
        return commitOrder(store, parts, after, limit, true);
    }

    /**
     * Returns a page of documents in ascending commit order. A reader that continues later from the last cursor gets every document that
     * was committed meanwhile.
     *
     * @param parts values of the parts that select an order, see {@link #inCommitOrder}
     * @param after cursor of the previous page; null for the first page
     * @param limit the most documents, 1 to {@value #LARGEST_PAGE}
     * @throws IllegalArgumentException if the collection has no such order, or if the limit is out of range
     * @throws MalformedException if a value is malformed, or if the cursor is malformed or belongs to another query
     */
    public Page oldest(DocumentStore store, Map<String, String> parts, @Nullable String after, int limit) {
        return commitOrder(store, parts, after, limit, false);
    }

    /**
     * Returns a cursor for {@link #oldest} that starts after a {@linkplain Document#sequence() commit sequence number}.
     *
     * @param parts values of the parts that select an order, see {@link #inCommitOrder}
     */
    public String cursorAfter(Map<String, String> parts, long sequence) {
        return cursor(
                IndexEntry.inCommitOrder(prefix(parts)).withSequence(sequence).key());
    }

    private Page commitOrder(
            DocumentStore store, Map<String, String> parts, @Nullable String after, int limit, boolean newestFirst) {
        if (orderedWithin == null || !parts.keySet().equals(Set.copyOf(orderedWithin))) {
            throw new IllegalArgumentException(
                    "The collection " + collection + " has no index in commit order within " + parts.keySet());
        }
        KeyRange range = KeyRange.ofPrefix(prefix(parts));
        String afterKey = after == null ? "" : decoded(after, range, IndexEntry::endsWithSequence);
        return page(
                store,
                new Scan(collection, owner, IndexEntry.COMMIT_ORDER, range, afterKey, checked(limit), newestFirst),
                last -> sequenced(last).key());
    }

    /** Returns the prefix of a document's entry in the index in commit order. */
    private String prefix(Map<String, String> parts) {
        StringBuilder prefix = new StringBuilder();
        for (KeyTemplate.Part part : key.parts()) {
            if (Objects.requireNonNull(orderedWithin).contains(part.name())) {
                prefix.append(part.format().check(part.name(), parts.get(part.name())))
                        .append('/');
            }
        }
        return prefix.toString();
    }

    private IndexEntry sequenced(Document document) {
        IndexEntry entry = IndexEntry.inCommitOrder(prefix(key.parse(document.key())));
        return document.sequence() == 0 ? entry : entry.withSequence(document.sequence());
    }

    private Page page(DocumentStore store, KeyTemplate template, KeyRange range, @Nullable String after, int limit) {
        boolean own = template.equals(key);
        String afterKey = after == null ? "" : decoded(after, range, template::isValid);
        return page(
                store,
                new Scan(collection, owner, own ? "" : template.name(), range, afterKey, checked(limit)),
                last -> own ? last.key() : template.key(key.parse(last.key())));
    }

    private static int checked(int limit) {
        if (limit < 1 || limit > LARGEST_PAGE) {
            throw new IllegalArgumentException("A page has 1 to " + LARGEST_PAGE + " documents, not " + limit);
        }
        return limit;
    }

    /** @param keyOf returns the key of a document in the scanned index */
    private static Page page(DocumentStore store, Scan scan, Function<Document, String> keyOf) {
        int limit = scan.limit();
        // one more than requested, to know whether there is a next page; a scan also ends after many bytes
        List<Document> found = store.scan(scan.withLimit(limit + 1));
        long bytes =
                found.stream().mapToLong(document -> document.data().length()).sum();
        if (found.size() <= limit && bytes < Scan.ENOUGH_BYTES) {
            return new Page(found, Optional.empty());
        }
        List<Document> items = found.subList(0, Math.min(limit, found.size()));
        return new Page(items, Optional.of(cursor(keyOf.apply(items.get(items.size() - 1)))));
    }

    private static String cursor(String key) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(key.getBytes(US_ASCII));
    }

    /** Returns the key that a cursor encodes. */
    private static String decoded(String cursor, KeyRange range, Predicate<String> isKey) {
        String expected = "the cursor of a previous page";
        byte[] decoded;
        try {
            decoded = Base64.getUrlDecoder().decode(cursor);
        } catch (IllegalArgumentException e) {
            throw new MalformedException("after", cursor, new Fault(-1, "is malformed"), expected);
        }
        String key = new String(decoded, US_ASCII);
        if (!isKey.test(key) || !range.contains(decoded)) {
            throw new MalformedException("after", cursor, new Fault(-1, "belongs to another query"), expected);
        }
        return key;
    }

    private Stream<KeyTemplate> keys() {
        return Stream.concat(Stream.of(key), indexes.stream());
    }

    private static Set<String> leadingParts(KeyTemplate template, int count) {
        return template.parts().stream()
                .limit(count)
                .map(KeyTemplate.Part::name)
                .collect(Collectors.toCollection(java.util.LinkedHashSet::new));
    }

    private DocumentId id(String text) {
        if (!key.isValid(text)) {
            key.parse(text); // throws an exception that names the malformed part
        }
        return new DocumentId(collection, owner, text);
    }

    private List<IndexEntry> indexEntries(Document document) {
        if (indexes.isEmpty() && orderedWithin == null) {
            return List.of();
        }
        Map<String, String> parts = key.parse(document.key());
        List<IndexEntry> entries = new ArrayList<>();
        for (KeyTemplate index : indexes) {
            entries.add(new IndexEntry(index.name(), index.key(parts)));
        }
        if (orderedWithin != null) {
            entries.add(sequenced(document));
        }
        return entries;
    }

    @Override
    public String toString() {
        return collection + Arrays.toString(keys().toArray());
    }

    /**
     * A page of documents.
     *
     * @param items the documents, in order
     * @param next cursor of the next page; empty if this is the last. It is opaque and URL-safe, and stays valid if documents are created or
     *     deleted meanwhile
     */
    public record Page(List<Document> items, Optional<String> next) {

        public Page {
            items = List.copyOf(items);
        }
    }

    /** The result of a change to a document. */
    public sealed interface WriteResult {

        /**
         * The change is part of the transaction.
         *
         * @param document the document as it is written; for a deletion, the deleted document
         */
        record Written(Document document) implements WriteResult {}

        /** The key is in use, and its document was not changed. */
        record Taken(Document current) implements WriteResult {}

        /** The document has another version than expected, and was not changed. */
        record Stale(Document current) implements WriteResult {}

        /** There is no document with the key. */
        record Missing() implements WriteResult {}
    }
}
