package dev.semel.server.ops;

import dev.semel.server.web.JsonText;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.KeyStatus;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.time.Instant;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/** Idempotency records as JSON, without payloads and responses. */
public final class KeyJson {

    private KeyJson() {}

    /** Returns what the owner of a key sees. */
    public static ObjectNode own(IdempotencyRecord record, Instant now) {
        // while the operation is in progress, the deadline is the end of its lease
        boolean ends = record.deadline() != null && record.status() != Status.PROCESSING;
        ObjectNode json = JsonText.object()
                .put("key", record.key().key())
                .put("endpoint", record.key().endpoint())
                .put("status", name(record.statusAt(now)))
                .put("clientTxId", record.clientTxId())
                .put("attempts", record.attempts())
                .put("createdAt", record.createdAt().toString())
                .put("expiresAt", ends ? String.valueOf(record.deadline()) : null)
                .put("outcome", record.outcome());
        return record.cause() == null ? json : json.put("cause", record.cause());
    }

    /** Returns what operators see. */
    static ObjectNode forOperators(IdempotencyRecord record, Instant now) {
        boolean leased = record.deadline() != null && record.status() == Status.PROCESSING;
        return own(record, now)
                .put("user", record.key().user())
                .put("fencingToken", record.fencingToken())
                .put("leaseUntil", leased ? String.valueOf(record.deadline()) : null)
                .put("purgeAt", record.purgeAt() == null ? null : String.valueOf(record.purgeAt()))
                .put("ifAbandoned", record.ifAbandoned() == null ? null : name(record.ifAbandoned()));
    }

    /** Returns the name of a key's status in JSON. */
    static String name(KeyStatus state) {
        return name((Enum<?>) state);
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
