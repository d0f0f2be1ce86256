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

/** What the topics about documents have in common. */
@Needs(DocumentStore.class)
public interface DocumentFixture extends StoreFixture {

    /** The store, as one of documents. */
    default DocumentStore documents() {
        return (DocumentStore) store();
    }

    /** Transactions on the store. */
    default Transactions transactions() {
        return new Transactions(documents(), time());
    }

    /** A document's id in a collection that all share. */
    static DocumentId id(String key) {
        return new DocumentId("things", "", key);
    }

    /** A document that is not stored yet. */
    default Document document(String key, long version, String data) {
        return document(id(key), version, data);
    }

    /** A document that is not stored yet. */
    default Document document(DocumentId id, long version, String data) {
        Instant now = store().clock().instant();
        return new Document(id, version, now, now, null, Json.of(data), commitIdOf(version), 0);
    }

    /** A document that is not stored yet, with an expiry. */
    default Document expiring(String key, Instant expiresAt) {
        Instant now = store().clock().instant();
        return new Document(id(key), 1, now, now, expiresAt, Json.of("1"), commitIdOf(1), 0);
    }

    /** The id of the commit that writes a version of a document in these tests. */
    static String commitIdOf(long version) {
        return version == 0 ? "" : "writer-" + version;
    }

    /** Writes documents if others have the versions that they have to have, straight into the store. */
    default CommitResult commit(Map<DocumentId, Long> versions, Document... documents) {
        return documents().commit(commitOf(newCommitId(), versions, documents));
    }

    /** Such a commit, not sent yet. */
    static Commit commitOf(String commitId, Map<DocumentId, Long> versions, Document... documents) {
        List<DocumentWrite> writes = Arrays.stream(documents)
                .<DocumentWrite>map(document -> new DocumentWrite.Put(document, List.of()))
                .toList();
        Map<DocumentId, String> preconditions = new HashMap<>();
        versions.forEach((id, version) -> preconditions.put(id, commitIdOf(version)));
        return new Commit(commitId, null, preconditions, writes);
    }

    /** A write of a document with index entries. */
    static DocumentWrite put(Document document, IndexEntry... entries) {
        return new DocumentWrite.Put(document, List.of(entries));
    }
}
