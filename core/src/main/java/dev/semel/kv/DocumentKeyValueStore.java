package dev.semel.kv;

import dev.semel.json.Json;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.internal.UniqueIds;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.DocumentStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The shared documents of a collection as a key-value store. It uses no preconditions, and is as consistent as the store. */
public final class DocumentKeyValueStore implements KeyValueStore {

    private final DocumentStore store;
    private final String collection;

    /** @param collection a collection without indexes */
    public DocumentKeyValueStore(DocumentStore store, String collection) {
        this.store = store;
        this.collection = collection;
    }

    @Override
    public Optional<Json> get(String key) {
        return store.read(id(key)).map(Document::data);
    }

    @Override
    public void put(String key, Json value, @Nullable Duration ttl) {
        DocumentId id = id(key);
        Instant now = store.clock().instant();
        String commitId = UniqueIds.mint();
        Document document = Document.created(id, now, ttl == null ? null : now.plus(ttl), value);
        // A document without a commit id would count as absent for transactions.
        write(commitId, new DocumentWrite.Put(document.withCommitId(commitId), List.of()));
    }

    @Override
    public void delete(String key) {
        write(UniqueIds.mint(), new DocumentWrite.Delete(id(key), List.of()));
    }

    private DocumentId id(String key) {
        DocumentId.checkVisible("key", key, LONGEST_KEY);
        return new DocumentId(collection, "", key);
    }

    /** Sends a write once: one that is sent again after its response was lost could overwrite a later one. */
    private void write(String commitId, DocumentWrite write) {
        store.commit(new Commit(commitId, null, Map.of(), List.of(write)));
    }
}
