package dev.semel.server.apps.collections;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transaction;
import dev.semel.document.Transactions;
import dev.semel.id.TextFormat;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Pages;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.DocumentStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The collections of each user, with their declarations. Each collection has an entry from its first document or its declaration on.
 *
 * <h2>Why no document escapes a declaration</h2>
 *
 * <p>Every commit that changes a document of a collection has the entry of the collection as a precondition. So it fails if the declaration has
 * changed since it was read. The reverse is harder: a declaration may only change while there are no documents, and a scan is no
 * precondition. A flag in the entry, {@code used}, connects the two:
 *
 * <ul>
 *   <li>While the collection is not used, or has no entry, a commit that creates a document also sets the flag.
 *   <li>While it is used, such a commit only checks the entry. So creations do not conflict with each other.
 *   <li>A declaration changes only while the collection is not used. If it is, the flag is reset first, in a separate commit. From then on,
 *       each creation writes the entry.
 *   <li>Then the entry is read, documents are searched for, and the new declaration is committed if there are none. A document that was created
 *       before is found. One that is created after the entry was read has changed it, so the commit of the declaration fails.
 * </ul>
 *
 * <p>A crash between the two commits leaves the old declaration in place, with the flag reset. This is a valid state: the next creation sets
 * the flag. The flag may also be reset while there are documents, so it never replaces the scan.
 */
final class Catalog {

    private static final String COLLECTIONS = "/v1/collections";
    private static final String COLLECTION = COLLECTIONS + "/{collection}";

    /** The maximum length of a collection's name. */
    private static final int LONGEST_NAME = 60;

    /** Prefix that separates collections of users from those of the server. */
    private static final String OWN = "own/";

    private static final DocumentCollection ENTRIES =
            DocumentCollection.of("collections", KeyTemplate.of("{collection:text}"));

    private static final String USED = "used";
    private static final int MOST_REMEMBERED = 4_096;

    private final DocumentStore store;
    private final Transactions transactions;
    private final Map<DocumentId, Entry> remembered = new Recent();

    Catalog(Transactions transactions) {
        this.store = transactions.store();
        this.transactions = transactions;
    }

    /** The entry is named with its class, since maps have a nested type {@code Entry}, too. */
    private static final class Recent extends LinkedHashMap<DocumentId, Catalog.Entry> {
        private static final long serialVersionUID = 1L;

        Recent() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<DocumentId, Catalog.Entry> eldest) {
            return size() > MOST_REMEMBERED;
        }
    }

    /**
     * The entry of a collection.
     *
     * @param document the entry as it is stored
     * @param used whether documents may have been created by commits that only check the entry
     * @param declaration null if the collection is not declared
     */
    private record Entry(
            Document document, boolean used, @Nullable Declaration declaration) {

        static Entry of(Document document) {
            JsonNode data = JsonText.tree(document.data());
            return new Entry(
                    document,
                    data.path(USED).asBoolean(false),
                    data.has(Declaration.KEY) ? Declaration.of(data) : null);
        }

        boolean declares(@Nullable Declaration other) {
            return declaration != null && other != null && declaration.isSameAs(other);
        }

        static Json data(boolean used, @Nullable Declaration declaration) {
            ObjectNode data = JsonText.object().put(USED, used);
            if (declaration != null) {
                declaration.addTo(data);
            }
            return JsonText.json(data);
        }

        /** Returns the collection as it is listed: with its declaration, but without what follows from it. */
        static ObjectNode listed(Document document) {
            ObjectNode declaration = (ObjectNode) JsonText.tree(document.data());
            declaration.remove(USED);
            ObjectNode json = JsonText.object()
                    .put("collection", document.key())
                    .put("declared", declaration.has(Declaration.KEY));
            json.setAll(declaration);
            return json;
        }

        /** Returns the collection with the parts by which it can be scanned. They may be much longer than its declaration. */
        JsonNode json() {
            ObjectNode json = listed(document);
            if (declaration != null) {
                ArrayNode scannable = json.putArray("scannable");
                for (Set<String> parts : declaration.scannable()) {
                    ArrayNode array = scannable.addArray();
                    parts.forEach(array::add);
                }
            }
            return json;
        }
    }

    /**
     * A collection of a user.
     *
     * @param documents its documents
     * @param declaration empty if it is not declared
     */
    record Own(DocumentCollection documents, Optional<Declaration> declaration) {}

    void declare(Routes routes) {
        routes.get(COLLECTIONS, this::list)
                .get(COLLECTION, this::read)
                .atomic("PUT", COLLECTION, this::declare)
                .atomic("DELETE", COLLECTION, this::forget);
    }

    /** Returns the collection of a request as if it was not declared: all documents, without indexes. */
    static DocumentCollection undeclared(Request request) {
        return own(request, name(request), null).documents;
    }

    /** Returns the collection of a request that reads. */
    Own toRead(Request request) {
        String name = name(request);
        return own(request, name, stored(store, request, name).orElse(null));
    }

    /** Returns the collection of a request that changes or deletes a document. Its entry becomes a precondition of the commit. */
    Own toChange(Request request) {
        String name = name(request);
        return own(request, name, expected(request, name).orElse(null));
    }

    /** Returns the collection of a request that creates a document, and notes that it is used. */
    Own toCreate(Request request) {
        String name = name(request);
        Entry entry = expected(request, name).orElse(null);
        Declaration declaration = entry == null ? null : entry.declaration;
        if (entry == null || !entry.used) {
            write(request.tx(), request.user(), name, entry, Entry.data(true, declaration));
        }
        return own(request, name, entry);
    }

    /**
     * Returns the entry of a collection, which becomes a precondition of the commit. It is usually remembered from an earlier request; if it has
     * changed since, the commit fails, and the request runs again.
     */
    private Optional<Entry> expected(Request request, String name) {
        DocumentId id = id(request.user(), name);
        Entry known = remembered(id);
        Optional<Document> current =
                known == null ? request.tx().read(id) : request.tx().expect(known.document);
        if (known != null && current.filter(known.document::equals).isPresent()) {
            return Optional.of(known);
        }
        Optional<Entry> entry = current.map(Entry::of);
        remember(id, entry.orElse(null));
        return entry;
    }

    private synchronized @Nullable Entry remembered(DocumentId id) {
        return remembered.get(id);
    }

    private synchronized void remember(DocumentId id, @Nullable Entry entry) {
        if (entry == null) {
            remembered.remove(id);
        } else {
            remembered.put(id, entry);
        }
    }

    private ApiResponse list(Request request) {
        return Pages.respond(
                request,
                (after, limit) -> ENTRIES.ownedBy(request.user()).scan(store, KeyRange.ofPrefix(""), after, limit),
                Entry::listed);
    }

    private ApiResponse read(Request request) {
        return ApiResponse.ok(stored(store, request, name(request))
                .orElseThrow(() -> ProblemException.notFound("collection"))
                .json());
    }

    private ApiResponse declare(Request request) {
        String name = name(request);
        Declaration declaration = Declaration.of(request.object());
        release(request, name, declaration);
        Entry entry = stored(request.tx(), request, name).orElse(null);
        if (entry != null && entry.declares(declaration)) {
            return ApiResponse.ok(entry.json());
        }
        checkEmpty(request, entry);
        Document declared = write(request.tx(), request.user(), name, entry, Entry.data(false, declaration));
        return ApiResponse.created(Entry.of(declared).json());
    }

    private ApiResponse forget(Request request) {
        String name = name(request);
        release(request, name, null);
        Entry entry = stored(request.tx(), request, name).orElse(null);
        checkEmpty(request, entry);
        if (entry == null) {
            throw ProblemException.notFound("collection");
        }
        ENTRIES.ownedBy(request.user()).delete(request.tx(), name);
        return ApiResponse.nothing();
    }

    /**
     * Resets the flag of a collection that has no documents and another declaration, so that creations conflict with the request. It is reset
     * even if the request fails later.
     */
    private void release(Request request, String name, @Nullable Declaration wanted) {
        Optional<Entry> before = stored(store, request, name);
        if (before.isEmpty() || !before.get().used || before.get().declares(wanted) || holdsDocuments(request)) {
            return;
        }
        transactions.run(tx -> {
            Optional<Entry> entry = stored(tx, request, name);
            if (entry.isPresent() && entry.get().used) {
                Json data = Entry.data(false, entry.get().declaration);
                write(tx, request.user(), name, entry.get(), data);
            }
            return name;
        });
    }

    /** Rejects a change of a declaration if there are documents, or if one was created since the flag was reset. */
    private void checkEmpty(Request request, @Nullable Entry entry) {
        if ((entry != null && entry.used) || holdsDocuments(request)) {
            throw ProblemException.named(
                    409, "collection_in_use", "The collection has documents; delete them to change its declaration");
        }
    }

    private boolean holdsDocuments(Request request) {
        return !undeclared(request)
                .scan(store, KeyRange.ofPrefix(""), null, 1)
                .items()
                .isEmpty();
    }

    private static Document write(Transaction tx, String user, String name, @Nullable Entry entry, Json data) {
        DocumentCollection entries = ENTRIES.ownedBy(user);
        DocumentCollection.WriteResult result = entry == null
                ? entries.create(tx, name, data)
                : entries.update(tx, name, entry.document.version(), data);
        return ((DocumentCollection.WriteResult.Written) result).document();
    }

    private static Optional<Entry> stored(Document.Reader reader, Request request, String name) {
        return reader.read(id(request.user(), name)).map(Entry::of);
    }

    private static DocumentId id(String user, String name) {
        return new DocumentId(ENTRIES.collection(), user, name);
    }

    private static Own own(Request request, String name, @Nullable Entry entry) {
        Optional<Declaration> declaration = Optional.ofNullable(entry).map(Entry::declaration);
        DocumentCollection documents = declaration
                .map(declared -> declared.collection(OWN + name))
                .orElseGet(() -> DocumentCollection.of(OWN + name, DocumentIds.ANY));
        return new Own(documents.ownedBy(request.user()), declaration);
    }

    private static String name(Request request) {
        String name = request.part("collection");
        if (name.length() > LONGEST_NAME || !TextFormat.TEXT.isValid(name)) {
            throw ProblemException.invalid("collection", "must be 1 to " + LONGEST_NAME + " of 0-9A-Za-z_-");
        }
        return name;
    }
}
