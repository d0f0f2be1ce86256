package dev.semel.postgres;

import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Records, documents and commits for tests. */
final class Stored {

    /** The locks in the default schema. */
    static final AdvisoryLocks LOCKS = new AdvisoryLocks("semel");

    private Stored() {}

    static IdempotencyKey key(String user, String key) {
        return new IdempotencyKey(user, "POST /payments", key);
    }

    /** A write that completes a new key. */
    static IdempotencyWrite completed(IdempotencyKey key, String clientTxId, Quota quota) {
        return new IdempotencyWrite(
                Precondition.ABSENT,
                record(key, clientTxId, Status.COMPLETED),
                Duration.ofHours(24),
                Duration.ofDays(30),
                quota);
    }

    static IdempotencyRecord record(IdempotencyKey key, String clientTxId, Status status) {
        Response response = status == Status.COMPLETED
                ? Response.of(201, Map.of("content-type", "application/json"), new byte[] {'{', '}'})
                : null;
        return IdempotencyRecord.builder(key, clientTxId, Fingerprint.ofJson("1"))
                .status(status)
                .response(response)
                .build();
    }

    static Document document(DocumentId id, String writer, @Nullable Instant expiresAt) {
        Instant now = Instant.parse("2026-01-07T12:00:00Z");
        return new Document(id, 1, now, now, expiresAt, Json.of("{\"a\": 1}"), writer, 0);
    }

    /** A commit that completes a key and creates a document. */
    static Commit commit(String attempt, IdempotencyKey key, DocumentId id, IndexEntry... entry) {
        return new Commit(
                attempt,
                completed(key, "tx-" + attempt, Quota.NONE),
                Map.of(id, ""),
                List.of(new DocumentWrite.Put(document(id, attempt, null), List.of(entry))));
    }

    /** A commit that writes a document without a precondition. */
    static Commit write(String attempt, DocumentId id, @Nullable Instant expiresAt, IndexEntry... entry) {
        return new Commit(
                attempt,
                null,
                Map.of(),
                List.of(new DocumentWrite.Put(document(id, attempt, expiresAt), List.of(entry))));
    }
}
