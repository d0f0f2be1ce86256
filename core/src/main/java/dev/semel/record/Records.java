package dev.semel.record;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.semel.id.IdFormat.Fault;
import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.store.ConflictException;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentReader;
import dev.semel.store.FurtherKey;
import dev.semel.store.Scan;
import dev.semel.store.Store;
import dev.semel.store.Transaction;
import dev.semel.store.Transactions;
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
 * The records of a collection: what it is called and which keys they are found by.
 *
 * <p>Declared once, and used with any store. Changes are made in a {@link Transaction}; each answers with a
 * {@link WriteResult} and never overwrites what its caller has not seen. Further keys are made of the same parts as the key, so
 * every record has exactly one of each, and they come and go with it in the same commit. A query reads the records it returns,
 * and no others.
 */
public final class Records {

    /** The most records on a page. */
    public static final int LARGEST_PAGE = 1000;

    private static final int MOST_MINTS = 100;

    private static final List<Duration> UPSERT_PAUSES =
            List.of(Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(400));

    private final String collection;
    private final String owner;
    private final KeyTemplate key;
    private final List<KeyTemplate> furtherKeys;
    private final @Nullable List<String> placedBy; // parts within which records are found in the order of commits

    private Records(
            String collection,
            String owner,
            KeyTemplate key,
            List<KeyTemplate> furtherKeys,
            @Nullable List<String> placedBy) {
        this.collection = collection;
        this.owner = owner;
        this.key = key;
        this.furtherKeys = furtherKeys;
        this.placedBy = placedBy;
    }

    /**
     * Declares a collection.
     *
     * @param furtherKeys other orders of the same parts
     * @throws IllegalArgumentException if a further key has other parts than the key, or is declared twice
     * @throws MalformedException if the collection's name is none
     */
    public static Records of(String collection, KeyTemplate key, KeyTemplate... furtherKeys) {
        var checked = new DocumentId(collection, "", "x");
        Set<KeyTemplate> known = new HashSet<>(Set.of(key));
        for (KeyTemplate further : furtherKeys) {
            if (!Set.copyOf(further.parts()).equals(Set.copyOf(key.parts()))) {
                throw new IllegalArgumentException("The further key " + further + " has not the same parts as " + key);
            }
            if (!known.add(further)) {
                throw new IllegalArgumentException("The key " + further + " is declared twice");
            }
        }
        return new Records(checked.collection(), "", key, List.of(furtherKeys), null);
    }

    /**
     * The same collection, in which records are also found in the order in which they were committed: all of them, or those that
     * have the same values of some parts. A transaction creates one in each such order at most, since a commit has one place in it.
     *
     * @throws IllegalArgumentException if the key has no such part
     */
    public Records inOrder(String... within) {
        Set<String> parts = Set.copyOf(leadingParts(key, key.parts().size()));
        if (!parts.containsAll(List.of(within))) {
            throw new IllegalArgumentException("Not all of " + List.of(within) + " are parts of " + key);
        }
        return new Records(collection, owner, key, furtherKeys, List.of(within));
    }

    /** The same collection as one user's own: its records are seen by nobody else. */
    public Records ownedBy(String user) {
        return new Records(collection, TextFormat.TEXT.check("user", user), key, furtherKeys, placedBy);
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
     * The record with a given key.
     *
     * @param reader a store, or a transaction
     * @throws MalformedException if the key is none of this collection
     */
    public Optional<Document> read(DocumentReader reader, String key) {
        return reader.read(id(key));
    }

    /**
     * Creates a record under a chosen key.
     *
     * @return {@link WriteResult.Written}, or {@link WriteResult.Taken} if there is one already
     * @throws MalformedException if the key is none of this collection
     */
    public WriteResult create(Transaction tx, String key, Json data) {
        return create(tx, key, data, null);
    }

    /** Creates a record that is gone after some time. */
    public WriteResult create(Transaction tx, String key, Json data, @Nullable Duration life) {
        DocumentId id = id(key);
        Optional<Document> inTheWay = tx.expectAbsent(id);
        if (inTheWay.isPresent()) {
            return new WriteResult.Taken(inTheWay.get());
        }
        Instant now = tx.now();
        Document created = new Document(id, 1, now, now, life == null ? null : now.plus(life), data, "");
        return new WriteResult.Written(tx.put(created, furtherKeys(created)));
    }

    /**
     * Creates a record under a key that is made for it. If the key is taken, another is made.
     *
     * @param keys makes keys, such as {@code IdSchemes.TID62::mint}
     * @throws IllegalStateException if {@value #MOST_MINTS} keys in a row are taken
     */
    public Document createMinted(Transaction tx, Supplier<String> keys, Json data) {
        return createMinted(tx, keys, data, null);
    }

    /** The same, of a record that is gone after some time. */
    public Document createMinted(Transaction tx, Supplier<String> keys, Json data, @Nullable Duration life) {
        for (int i = 0; i < MOST_MINTS; i++) {
            if (create(tx, keys.get(), data, life) instanceof WriteResult.Written written) {
                return written.document();
            }
        }
        throw new IllegalStateException(MOST_MINTS + " keys in a row that were made for " + collection + " are taken");
    }

    /**
     * Replaces the data of a record, if it has the version that the caller has seen. A version counts the changes of one life of a
     * record: one that was removed and created again begins with 1.
     *
     * @return {@link WriteResult.Written}, {@link WriteResult.Stale} or {@link WriteResult.Missing}
     * @throws MalformedException if the key is none of this collection
     */
    public WriteResult update(Transaction tx, String key, long version, Json data) {
        return change(tx, key, version, current -> {
            Document updated = new Document(
                    current.id(),
                    current.version() + 1,
                    current.createdAt(),
                    later(current.updatedAt(), tx.now()),
                    current.expiresAt(),
                    data,
                    "",
                    current.place());
            return tx.put(updated, furtherKeys(updated));
        });
    }

    /**
     * Removes a record, if it has the version that the caller has seen.
     *
     * @return {@link WriteResult.Written}, {@link WriteResult.Stale} or {@link WriteResult.Missing}
     * @throws MalformedException if the key is none of this collection
     */
    public WriteResult delete(Transaction tx, String key, long version) {
        return change(tx, key, version, current -> remove(tx, current));
    }

    /**
     * Removes a record, whatever its version.
     *
     * @return {@link WriteResult.Written} or {@link WriteResult.Missing}
     * @throws MalformedException if the key is none of this collection
     */
    public WriteResult delete(Transaction tx, String key) {
        Optional<Document> current = tx.read(id(key));
        return current.isEmpty() ? new WriteResult.Missing() : new WriteResult.Written(remove(tx, current.get()));
    }

    private Document remove(Transaction tx, Document current) {
        tx.delete(current.id(), furtherKeys(current));
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

    /** A clock that was set back does not make a record younger. */
    private static Instant later(Instant before, Instant now) {
        return now.isBefore(before) ? before : now;
    }

    /**
     * Creates a record or updates the one that is there, in a transaction of its own. If others are quicker, reads again and tries
     * again after 100, 200 and 400 ms.
     *
     * @param change makes the new data from what is there; called anew for each try
     * @return {@link WriteResult.Written}; or, if others were quicker each time and nothing was written, {@link WriteResult.Stale}
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
                    UPSERT_PAUSES);
        } catch (ConflictException e) {
            if (!e.id().equals(id)) {
                throw e; // of something that the change did elsewhere
            }
            Optional<Document> current = transactions.store().read(id);
            return current.isEmpty() ? new WriteResult.Missing() : new WriteResult.Stale(current.get());
        }
    }

    /**
     * The records whose parts have given values, in the order of the key that they fix a prefix of.
     *
     * @param parts values of the first parts of one of the keys
     * @param after where the page before ended, or null for the first
     * @param limit the most records, 1 to {@value #LARGEST_PAGE}
     * @throws IllegalArgumentException if no key begins with these parts; says what can be asked
     * @throws MalformedException if a value is malformed, or if there is no such place to go on
     */
    public Page find(Store store, Map<String, String> parts, @Nullable String after, int limit) {
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
     * The records whose keys are in a range, in their order.
     *
     * @param after where the page before ended, or null for the first
     * @param limit the most records, 1 to {@value #LARGEST_PAGE}
     * @throws MalformedException if there is no such place to go on
     */
    public Page scan(Store store, KeyRange range, @Nullable String after, int limit) {
        return page(store, key, range, after, limit);
    }

    /**
     * The records that were committed last, the latest first. Going on from page to page misses none that were there at the first.
     *
     * @param parts values of the parts within which they are {@linkplain #inOrder in order}
     * @param after where the page before ended, or null for the first
     * @param limit the most records, 1 to {@value #LARGEST_PAGE}
     * @throws MalformedException if a value is malformed, or if there is no such place to go on
     */
    public Page newest(Store store, Map<String, String> parts, @Nullable String after, int limit) {
        return inPlace(store, parts, after, limit, true);
    }

    /** The same, with those that were committed first. Who goes on later finds what was committed meanwhile, and misses nothing. */
    public Page oldest(Store store, Map<String, String> parts, @Nullable String after, int limit) {
        return inPlace(store, parts, after, limit, false);
    }

    /**
     * Where to go on behind a {@linkplain Document#place() place} in the order of commits: as the next of a page that ended with it.
     *
     * @param parts values of the parts within which records are {@linkplain #inOrder in order}
     */
    public String behind(Map<String, String> parts, long place) {
        return cursor(FurtherKey.placed(beginning(parts)).at(place).key());
    }

    private Page inPlace(
            Store store, Map<String, String> parts, @Nullable String after, int limit, boolean newestFirst) {
        if (placedBy == null || !parts.keySet().equals(Set.copyOf(placedBy))) {
            throw new IllegalArgumentException(collection + " is not in order within " + parts.keySet());
        }
        KeyRange range = KeyRange.ofPrefix(beginning(parts));
        String afterKey = after == null ? "" : decoded(after, range, FurtherKey::endsWithPlace);
        return page(
                store,
                new Scan(collection, owner, FurtherKey.IN_ORDER, range, afterKey, checked(limit), newestFirst),
                last -> placed(last).key());
    }

    /** What the further key of a record begins with, in whose order records are placed. */
    private String beginning(Map<String, String> parts) {
        StringBuilder beginning = new StringBuilder();
        for (KeyTemplate.Part part : key.parts()) {
            if (Objects.requireNonNull(placedBy).contains(part.name())) {
                beginning
                        .append(part.format().check(part.name(), parts.get(part.name())))
                        .append('/');
            }
        }
        return beginning.toString();
    }

    private FurtherKey placed(Document document) {
        FurtherKey placed = FurtherKey.placed(beginning(key.parse(document.key())));
        return document.place() == 0 ? placed : placed.at(document.place());
    }

    private Page page(Store store, KeyTemplate template, KeyRange range, @Nullable String after, int limit) {
        boolean own = template.equals(key);
        String afterKey = after == null ? "" : decoded(after, range, template::isValid);
        return page(
                store,
                new Scan(collection, owner, own ? "" : template.name(), range, afterKey, checked(limit)),
                last -> own ? last.key() : template.key(key.parse(last.key())));
    }

    private static int checked(int limit) {
        if (limit < 1 || limit > LARGEST_PAGE) {
            throw new IllegalArgumentException("A page has 1 to " + LARGEST_PAGE + " records, not " + limit);
        }
        return limit;
    }

    /** @param keyOf the key of a record in the order that is scanned */
    private static Page page(Store store, Scan scan, Function<Document, String> keyOf) {
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
            throw new MalformedException("after", cursor, new Fault(-1, "is no such place"), expected);
        }
        String key = new String(decoded, US_ASCII);
        if (!isKey.test(key) || !range.contains(decoded)) {
            throw new MalformedException("after", cursor, new Fault(-1, "is a place of another query"), expected);
        }
        return key;
    }

    private Stream<KeyTemplate> keys() {
        return Stream.concat(Stream.of(key), furtherKeys.stream());
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

    private List<FurtherKey> furtherKeys(Document document) {
        if (furtherKeys.isEmpty() && placedBy == null) {
            return List.of();
        }
        Map<String, String> parts = key.parse(document.key());
        List<FurtherKey> further = new ArrayList<>();
        for (KeyTemplate template : furtherKeys) {
            further.add(new FurtherKey(template.name(), template.key(parts)));
        }
        if (placedBy != null) {
            further.add(placed(document));
        }
        return further;
    }

    @Override
    public String toString() {
        return collection + Arrays.toString(keys().toArray());
    }
}
