package dev.semel.store;

import dev.semel.json.Json;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * JSON data under a key.
 *
 * @param id identifies it
 * @param version 1 when it was created, one more with each update
 * @param createdAt when it was created
 * @param updatedAt when it was last changed; never before it was created
 * @param expiresAt from when it counts as absent, or null if it does not expire
 * @param data its content
 * @param commitId id of the commit that wrote it. A document that was deleted and created again may have the same version, but
 *     not the same commit id
 * @param sequence commit sequence number of its creation, if its collection is kept in commit order: a reader who sees one will see
 *     no new document with a lower one; otherwise, and before it is committed, 0
 */
public record Document(
        DocumentId id,
        long version,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant expiresAt,
        Json data,
        String commitId,
        long sequence) {

    /** The first version of a document, not committed yet. */
    public static Document created(DocumentId id, Instant now, @Nullable Instant expiresAt, Json data) {
        return new Document(id, 1, now, now, expiresAt, data, "", 0);
    }

    /** The next version of this document, not committed yet. A clock that was set back does not make it older than this one. */
    public Document updated(Instant now, Json data) {
        Instant later = now.isBefore(updatedAt) ? updatedAt : now;
        return new Document(id, version + 1, createdAt, later, expiresAt, data, "", sequence);
    }

    /** Its key within its collection. */
    public String key() {
        return id.key();
    }

    /** The same document, written by a given commit. */
    public Document withCommitId(String commitId) {
        return new Document(id, version, createdAt, updatedAt, expiresAt, data, commitId, sequence);
    }

    /** The same document with a commit sequence number. */
    public Document withSequence(long sequence) {
        return new Document(id, version, createdAt, updatedAt, expiresAt, data, commitId, sequence);
    }

    /** Whether it has expired. */
    public boolean isExpiredAt(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    /** Never the data: it is private, and this may be logged. */
    @Override
    public String toString() {
        return "Document[" + id.collection() + ", version " + version + ", " + data.length() + " bytes]";
    }

    /** Where a document can be read: in a store, or in a transaction that is in progress. */
    public interface Reader {

        /** The document with a given id, unless there is none or it is expired. */
        Optional<Document> read(DocumentId id);
    }
}
