package dev.semel.store;

import dev.semel.json.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Data under a key.
 *
 * @param id where it is
 * @param version 1 when it was created, one more with each update
 * @param createdAt when it was created
 * @param updatedAt when it was last changed; never before it was created
 * @param expiresAt from when on it counts as absent, or null if it stays
 * @param data what it holds
 * @param writtenBy attempt id of the commit that wrote it, which no other commit has: a document that was removed and created again
 *     may have the same version, but not the same writer
 * @param place where its creation stands in the order of commits, if it has a {@linkplain FurtherKey#placed further key} that tells by
 *     it: who reads one sees all with lower ones that will ever be; otherwise, and before it is committed, 0
 */
public record Document(
        DocumentId id,
        long version,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant expiresAt,
        Json data,
        String writtenBy,
        long place) {

    /** A document without a place. */
    public Document(
            DocumentId id,
            long version,
            Instant createdAt,
            Instant updatedAt,
            @Nullable Instant expiresAt,
            Json data,
            String writtenBy) {
        this(id, version, createdAt, updatedAt, expiresAt, data, writtenBy, 0);
    }

    /** What it is found by within its collection. */
    public String key() {
        return id.key();
    }

    /** The same document, written by another commit. */
    Document writtenBy(String attempt) {
        return new Document(id, version, createdAt, updatedAt, expiresAt, data, attempt, place);
    }

    /** The same document at a place. */
    public Document at(long place) {
        return new Document(id, version, createdAt, updatedAt, expiresAt, data, writtenBy, place);
    }

    /** Whether it is past its time. */
    public boolean isExpiredAt(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    /** Never the data: it is somebody's, and this may end up in a log. */
    @Override
    public String toString() {
        return "Document[" + id.collection() + ", version " + version + ", " + data.length() + " bytes]";
    }
}
