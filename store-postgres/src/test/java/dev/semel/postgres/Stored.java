package dev.semel.postgres;

import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.store.Commit;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.Expected;
import dev.semel.store.FurtherKey;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Things to store. */
final class Stored {

    private Stored() {}

    static OnceKey key(String user, String key) {
        return new OnceKey(user, "POST /payments", key);
    }

    /** A key that is completed in one commit, if there is none yet. */
    static OnceWrite completed(OnceKey key, String clientTxId, Quota quota) {
        return new OnceWrite(
                Expected.ABSENT,
                record(key, clientTxId, OnceStatus.COMPLETED),
                Duration.ofHours(24),
                Duration.ofDays(30),
                quota);
    }

    static OnceRecord record(OnceKey key, String clientTxId, OnceStatus status) {
        Response response = status == OnceStatus.COMPLETED
                ? Response.of(201, Map.of("content-type", "application/json"), new byte[] {'{', '}'})
                : null;
        return new OnceRecord(
                key, clientTxId, Fingerprint.ofJson("1"), status, null, 1, "", 0, Instant.EPOCH, null, null, response);
    }

    static Document document(DocumentId id, String writer, @Nullable Instant expiresAt) {
        Instant now = Instant.parse("2026-01-07T12:00:00Z");
        return new Document(id, 1, now, now, expiresAt, Json.of("{\"a\": 1}"), writer);
    }

    /** A commit that completes a key and creates a document. */
    static Commit commit(String attempt, OnceKey key, DocumentId id, FurtherKey... further) {
        return new Commit(
                attempt,
                completed(key, "tx-" + attempt, Quota.NONE),
                Map.of(id, ""),
                List.of(new DocumentWrite.Put(document(id, attempt, null), List.of(further))));
    }

    /** A commit that writes a document, whatever was there. */
    static Commit write(String attempt, DocumentId id, @Nullable Instant expiresAt, FurtherKey... further) {
        return new Commit(
                attempt,
                null,
                Map.of(),
                List.of(new DocumentWrite.Put(document(id, attempt, expiresAt), List.of(further))));
    }
}
