package dev.semel.testkit;

import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the tests of documents share. */
@Needs(DocumentStore.class)
public interface DocumentFixture extends StoreFixture {

    /** Returns the store as a document store. */
    default DocumentStore documents() {
        return (DocumentStore) store();
    }

    /** Returns new transactions on the store. */
    default Transactions transactions() {
        return new Transactions(documents(), time());
    }

    /** Returns the id of a document in the collection that all tests share. */
    static DocumentId id(String key) {
        return new DocumentId("things", "", key);
    }

    /** Returns a new document, without storing it. */
    default Document document(String key, long version, String data) {
        return document(id(key), version, data);
    }

    /** Returns a new document, without storing it. */
    default Document document(DocumentId id, long version, String data) {
        Instant now = store().clock().instant();
        return new Document(id, version, now, now, null, Json.of(data), commitIdOf(version), 0);
    }

    /** Returns a new document with an expiry, without storing it. */
    default Document expiring(String key, Instant expiresAt) {
        Instant now = store().clock().instant();
        return new Document(id(key), 1, now, now, expiresAt, Json.of("1"), commitIdOf(1), 0);
    }

    /** Returns the id of the commit that writes a version of a document in these tests. */
    static String commitIdOf(long version) {
        return version == 0 ? "" : "writer-" + version;
    }

    /** Commits documents directly to the store, on the precondition that other documents have the given versions. */
    default CommitResult commit(Map<DocumentId, Long> versions, Document... documents) {
        return documents().commit(commitOf(newCommitId(), versions, documents));
    }

    /** Returns such a commit, without sending it. */
    static Commit commitOf(String commitId, Map<DocumentId, Long> versions, Document... documents) {
        List<DocumentWrite> writes = Arrays.stream(documents)
                .<DocumentWrite>map(document -> new DocumentWrite.Put(document, List.of()))
                .toList();
        Map<DocumentId, String> preconditions = new HashMap<>();
        versions.forEach((id, version) -> preconditions.put(id, commitIdOf(version)));
        return new Commit(commitId, null, preconditions, writes);
    }

    /** Returns a write of a document with index entries. */
    static DocumentWrite put(Document document, IndexEntry... entries) {
        return new DocumentWrite.Put(document, List.of(entries));
    }
}
