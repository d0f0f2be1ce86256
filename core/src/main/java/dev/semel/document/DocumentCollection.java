package dev.semel.document;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.semel.document.Transactions.WriteConflictException;
import dev.semel.id.IdFormat.Fault;
import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
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
 * A collection of documents: its name, and the keys by which its documents are found.
 *
 * <p>Declared once, and used with any {@link DocumentStore}. Changes are made in a {@link Transaction}; each returns a
 * {@link WriteResult} and never overwrites a document that its caller has not seen. Secondary indexes are other orders of the parts of
 * the key, so every document has exactly one entry in each, written and deleted in the same commit. A query reads the documents it
 * returns, and no others.
 */
public final class DocumentCollection {

    /** The most documents on a page. */
    public static final int LARGEST_PAGE = 1000;

    private static final int MOST_MINTS = 100;

    /** Pauses between the retries of an {@linkplain #upsert upsert}. */
    public static final List<Duration> UPSERT_BACKOFF =
            List.of(Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(400));

    private final String collection;
    private final String owner;
    private final KeyTemplate key;
    private final List<KeyTemplate> indexes;
    private final @Nullable List<String> orderedWithin; // parts within which documents are found in commit order

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
     * The same collection with an index in commit order: of all documents, or of those that have the same values of some parts. A
     * transaction creates at most one document in each such order, since a commit has one sequence number.
     *
     * @throws IllegalArgumentException if the key has no such part
     */
    public DocumentCollection inCommitOrder(String... within) {
        Set<String> parts = Set.copyOf(leadingParts(key, key.parts().size()));
        if (!parts.containsAll(List.of(within))) {
            throw new IllegalArgumentException("Not all of " + List.of(within) + " are parts of " + key);
        }
        return new DocumentCollection(collection, owner, key, indexes, List.of(within));
    }

    /** The same collection as one user's own: its documents are seen by nobody else. */
    public DocumentCollection ownedBy(String user) {
        return new DocumentCollection(collection, TextFormat.TEXT.check("user", user), key, indexes, orderedWithin);
    }

    /** What the collection is called. */
    public String collection() {
        return collection;
    }

    /** The form of its keys. */
    public KeyTemplate key() {
        return key;
    }

    /**
     * The document with a given key.
     *
     * @param reader a store, or a transaction
     * @throws MalformedException if the key is none of this collection
     */
    public Optional<Document> read(Document.Reader reader, String key) {
        return reader.read(id(key));
    }

    /**
     * Creates a document under a chosen key.
     *
     * @return {@link WriteResult.Written}, or {@link WriteResult.Taken} if there is one already
     * @throws MalformedException if the key is none of this collection
     */
    public WriteResult create(Transaction tx, String key, Json data) {
        return create(tx, key, data, null);
    }

    /** Creates a document that expires after some time. */
    public WriteResult create(Transaction tx, String key, Json data, @Nullable Duration ttl) {
        DocumentId id = id(key);
        Optional<Document> inTheWay = tx.expectAbsent(id);
        if (inTheWay.isPresent()) {
            return new WriteResult.Taken(inTheWay.get());
        }
        Instant now = tx.now();
        Document created = Document.created(id, now, ttl == null ? null : now.plus(ttl), data);
        return new WriteResult.Written(tx.put(created, indexEntries(created)));
    }

    /**
     * Creates a document under a key that is made for it. If the key is taken, another is made.
     *
     * @param keys makes keys, such as {@code IdSchemes.TID62::mint}
     * @throws IllegalStateException if {@value #MOST_MINTS} keys in a row are taken
     */
    public Document createMinted(Transaction tx, Supplier<String> keys, Json data) {
        return createMinted(tx, keys, data, null);
    }

    /** The same, of a document that expires after some time. */
    public Document createMinted(Transaction tx, Supplier<String> keys, Json data, @Nullable Duration ttl) {
        for (int i = 0; i < MOST_MINTS; i++) {
            if (create(tx, keys.get(), data, ttl) instanceof WriteResult.Written written) {
                return written.document();
            }
        }
        throw new IllegalStateException(MOST_MINTS + " keys in a row that were made for " + collection + " are taken");
    }

    /**
     * Replaces the data of a document, if it has the version that the caller has seen. A version counts the changes of one lifetime of a
     * document: one that was removed and created again begins with 1.
     *
     * @return {@link WriteResult.Written}, {@link WriteResult.Stale} or {@link WriteResult.Missing}
     * @throws MalformedException if the key is none of this collection
     */
    public WriteResult update(Transaction tx, String key, long version, Json data) {
        return change(tx, key, version, current -> {
            Document updated = current.updated(tx.now(), data);
            return tx.put(updated, indexEntries(updated));
        });
    }

    /**
     * Removes a document, if it has the version that the caller has seen.
     *
     * @return {@link WriteResult.Written}, {@link WriteResult.Stale} or {@link WriteResult.Missing}
     * @throws MalformedException if the key is none of this collection
     */
    public WriteResult delete(Transaction tx, String key, long version) {
        return change(tx, key, version, current -> remove(tx, current));
    }

    /**
     * Removes a document, whatever its version.
     *
     * @return {@link WriteResult.Written} or {@link WriteResult.Missing}
     * @throws MalformedException if the key is none of this collection
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
     * Creates a document or updates the one that is there, in a transaction of its own. On a write conflict, re-reads and retries
     * after 100, 200 and 400 ms.
     *
     * @param change makes the new data from what is there; called anew for each try
     * @return {@link WriteResult.Written}; or, if every retry conflicted and nothing was written, {@link WriteResult.Stale}
     *     with what is there, {@link WriteResult.Missing} if they removed it
     * @throws MalformedException if the key is none of this collection
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
                throw e; // of something that the change did elsewhere
            }
            Optional<Document> current = transactions.store().read(id);
            return current.isEmpty() ? new WriteResult.Missing() : new WriteResult.Stale(current.get());
        }
    }

    /**
     * The documents whose parts have given values, in the order of the key that they fix a prefix of.
     *
     * @param parts values of the first parts of one of the keys
     * @param after where the page before ended, or null for the first
     * @param limit the most documents, 1 to {@value #LARGEST_PAGE}
     * @throws IllegalArgumentException if no key begins with these parts; says what can be asked
     * @throws MalformedException if a value is malformed, or if there is no such place to go on
     */
    public Page find(DocumentStore store, Map<String, String> parts, @Nullable String after, int limit) {
        for (KeyTemplate template : (Iterable<KeyTemplate>) keys()::iterator) {
            if (!parts.isEmpty() && leadingParts(template, parts.size()).equals(parts.keySet())) {
                return page(store, template, template.range(parts), after, limit);
            }
        }
        String askable = keys().flatMap(
                        template -> IntStream.rangeClosed(1, template.parts().size())
                                .mapToObj(count -> leadingParts(template, count)))
                .distinct()
                .map(Set::toString)
                .collect(Collectors.joining(", "));
        throw new IllegalArgumentException(
                "No key of " + collection + " begins with " + parts.keySet() + "; it can be asked by " + askable);
    }

    /**
     * The documents whose keys are in a range, in their order.
     *
     * @param after where the page before ended, or null for the first
     * @param limit the most documents, 1 to {@value #LARGEST_PAGE}
     * @throws MalformedException if there is no such place to go on
     */
    public Page scan(DocumentStore store, KeyRange range, @Nullable String after, int limit) {
        return page(store, key, range, after, limit);
    }

    /**
     * The documents that were committed last, the latest first. Going on from page to page misses none that were there at the first.
     *
     * @param parts values of the parts within which they are {@linkplain #inCommitOrder in order}
     * @param after where the page before ended, or null for the first
     * @param limit the most documents, 1 to {@value #LARGEST_PAGE}
     * @throws MalformedException if a value is malformed, or if there is no such place to go on
     */
    public Page newest(DocumentStore store, Map<String, String> parts, @Nullable String after, int limit) {
        return commitOrder(store, parts, after, limit, true);
    }

    /** The same, with those that were committed first. Who goes on later finds what was committed meanwhile, and misses nothing. */
    public Page oldest(DocumentStore store, Map<String, String> parts, @Nullable String after, int limit) {
        return commitOrder(store, parts, after, limit, false);
    }

    /**
     * The cursor of what follows a {@linkplain Document#sequence() commit sequence number}.
     *
     * @param parts values of the parts within which documents are {@linkplain #inCommitOrder in commit order}
     */
    public String cursorAfter(Map<String, String> parts, long sequence) {
        return cursor(
                IndexEntry.inCommitOrder(prefix(parts)).withSequence(sequence).key());
    }

    private Page commitOrder(
            DocumentStore store, Map<String, String> parts, @Nullable String after, int limit, boolean newestFirst) {
        if (orderedWithin == null || !parts.keySet().equals(Set.copyOf(orderedWithin))) {
            throw new IllegalArgumentException(collection + " is not in commit order within " + parts.keySet());
        }
        KeyRange range = KeyRange.ofPrefix(prefix(parts));
        String afterKey = after == null ? "" : decoded(after, range, IndexEntry::endsWithSequence);
        return page(
                store,
                new Scan(collection, owner, IndexEntry.COMMIT_ORDER, range, afterKey, checked(limit), newestFirst),
                last -> sequenced(last).key());
    }

    /** Prefix of a document's entry in the index in commit order. */
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

    /** @param keyOf the key of a document in the order that is scanned */
    private static Page page(DocumentStore store, Scan scan, Function<Document, String> keyOf) {
        int limit = scan.limit();
        // One more than asked for tells whether there is a next page; or as many bytes as end a scan.
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

    /** The key that a cursor stands for. */
    private static String decoded(String cursor, KeyRange range, Predicate<String> isKey) {
        String expected = "the next of a page before";
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
            key.parse(text); // says what is wrong
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
     * Some documents, in order.
     *
     * @param items the documents
     * @param next where to go on, if there may be more: opaque, safe in a URL, and right however many documents come and go meanwhile
     */
    public record Page(List<Document> items, Optional<String> next) {

        public Page {
            items = List.copyOf(items);
        }
    }

    /** What became of a change to a document. */
    public sealed interface WriteResult {

        /** It is written; for a removal, this is what was there. */
        record Written(Document document) implements WriteResult {}

        /** There is a document under that key already, and it was left as it is. */
        record Taken(Document current) implements WriteResult {}

        /** The document has another version than expected, and was left as it is. */
        record Stale(Document current) implements WriteResult {}

        /** There is no document under that key. */
        record Missing() implements WriteResult {}
    }
}
