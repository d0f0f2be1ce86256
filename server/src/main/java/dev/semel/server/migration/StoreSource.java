package dev.semel.server.migration;

import dev.semel.key.KeyRange;
import dev.semel.server.web.JsonText;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The documents of a collection in a store, in the order of their owners and keys: first those that users share, then those of each user.
 */
public final class StoreSource extends MigrationSource {

    /** Prefix of the collections that users create over HTTP. */
    private static final String OWN = "own/";

    private static final int PAGE = 500;
    private static final char SEPARATOR = '\n'; // in no user's name, and in no key

    private final DocumentStore store;
    private final StoreAdmin admin;
    private final String collection;
    private final String type;
    private final Deque<Document> page = new ArrayDeque<>();
    private @Nullable String owner = "";
    private String after = "";
    private long position;

    /**
     * Reads a collection.
     *
     * @param location the location of the store, for reports
     * @param name the name of the collection over HTTP, or the full name of any other collection, which contains a slash
     * @param type the type of the documents
     */
    public StoreSource(DocumentStore store, StoreAdmin admin, String location, String name, String type) {
        super(new SourceId("collection " + name + " of " + location, true));
        this.store = store;
        this.admin = admin;
        this.collection = new DocumentId(name.indexOf('/') < 0 ? OWN + name : name, "", "x").collection();
        this.type = type;
    }

    @Override
    @Nullable SourceLine next() {
        while (page.isEmpty()) {
            String current = owner;
            if (current == null) {
                return null;
            }
            List<Document> found = store.scan(new Scan(collection, current, "", KeyRange.ofPrefix(""), after, PAGE));
            if (found.isEmpty()) {
                owner = admin.nextOwner(collection, current).orElse(null);
                after = "";
            } else {
                page.addAll(found);
                after = found.get(found.size() - 1).key();
            }
        }
        Document next = page.remove();
        position++;
        return new SourceLine(position, line(next), false, next.id().owner() + SEPARATOR + next.key());
    }

    private byte[] line(Document document) {
        return JsonText.bytes(JsonText.object()
                .put("collection", type)
                .put("key", document.key())
                .put("version", document.version())
                .put("createdAt", document.createdAt().toString())
                .put("updatedAt", document.updatedAt().toString())
                .set("data", JsonText.raw(document.data())));
    }

    @Override
    void seek(SourceLine after) {
        int separator = after.cursor().indexOf(SEPARATOR);
        page.clear();
        this.owner = after.cursor().substring(0, separator);
        this.after = after.cursor().substring(separator + 1);
        this.position = after.number();
    }

    /** Returns whether the collection has a document. */
    public boolean hasDocuments() {
        Optional<String> first = admin.nextOwner(collection, "");
        return first.isPresent()
                || !store.scan(new Scan(collection, "", "", KeyRange.ofPrefix(""), "", 1))
                        .isEmpty();
    }
}
