package dev.semel.store;

import dev.semel.json.Json;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A document: JSON data under a key.
 *
 * @param id identifies the document
 * @param version 1 when the document is created, and one more with each update
 * @param createdAt when the document was created
 * @param updatedAt when the document was last written; never before {@code createdAt}
 * @param expiresAt when the document expires and counts as absent; null if it does not expire
 * @param data the content
 * @param commitId id of the commit that wrote the document. A document that was deleted and created again may have the same version, but
 *     never the same commit id
 * @param sequence commit sequence number of its creation, if its collection has an index in commit order: a reader who sees a number never
 *     later sees a lower one appear. 0 otherwise, and before the document is committed
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

    /** Returns the first version of a document, not committed yet. */
    public static Document created(DocumentId id, Instant now, @Nullable Instant expiresAt, Json data) {
        return new Document(id, 1, now, now, expiresAt, data, "", 0);
    }

    /**
     * Returns the next version of this document, not committed yet. It is never older than this one, even if the clock was set back.
     *
     * @throws IllegalStateException if this is the highest version
     */
    public Document updated(Instant now, Json data) {
        if (version == Long.MAX_VALUE) {
            throw new IllegalStateException("A document of " + id.collection() + " has version " + version
                    + ", the highest: delete it and create it again");
        }
        Instant later = now.isBefore(updatedAt) ? updatedAt : now;
        return new Document(id, version + 1, createdAt, later, expiresAt, data, "", sequence);
    }

    /** Returns the key within the collection. */
    public String key() {
        return id.key();
    }

    /** Returns this document with another expiry. */
    public Document withExpiresAt(@Nullable Instant expiresAt) {
        return new Document(id, version, createdAt, updatedAt, expiresAt, data, commitId, sequence);
    }

    /** Returns this document as written by a given commit. */
    public Document withCommitId(String commitId) {
        return new Document(id, version, createdAt, updatedAt, expiresAt, data, commitId, sequence);
    }

    /** Returns this document with a commit sequence number. */
    public Document withSequence(long sequence) {
        return new Document(id, version, createdAt, updatedAt, expiresAt, data, commitId, sequence);
    }

    /** Whether the document has expired at a given time. */
    public boolean isExpiredAt(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    /** Returns a text without key and data, which are private: it may be logged. */
    @Override
    public String toString() {
        return "Document[" + id.collection() + ", version " + version + ", " + data.length() + " bytes]";
    }

    /** Reads documents: a store, or a transaction in progress. */
    public interface Reader {

        /** Returns the document with a given id; empty if there is none or it has expired. */
        Optional<Document> read(DocumentId id);
    }
}
