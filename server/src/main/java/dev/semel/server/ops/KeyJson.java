package dev.semel.server.ops;

import dev.semel.server.web.JsonText;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.KeyStatus;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.time.Instant;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/** What is told of a key: never what was asked for, nor what was answered. */
public final class KeyJson {

    private KeyJson() {}

    /** As its own user sees it. */
    public static ObjectNode own(IdempotencyRecord record, Instant now) {
        // while it is in progress its deadline is its lease's, which is no end of the record
        boolean ends = record.deadline() != null && record.status() != Status.PROCESSING;
        boolean ended = record.status() == Status.COMPLETED || record.status() == Status.FAILED;
        return JsonText.object()
                .put("key", record.key().key())
                .put("endpoint", record.key().endpoint())
                .put("status", name(record.statusAt(now)))
                .put("clientTxId", record.clientTxId())
                .put("attempts", record.attempts())
                .put("createdAt", record.createdAt().toString())
                .put("expiresAt", ends ? String.valueOf(record.deadline()) : null)
                .put("outcome", ended ? name(record.status()) : null);
    }

    /** As operators see it. */
    static ObjectNode forOperators(IdempotencyRecord record, Instant now) {
        boolean leased = record.deadline() != null && record.status() == Status.PROCESSING;
        return own(record, now)
                .put("user", record.key().user())
                .put("fence", record.fencingToken())
                .put("leaseUntil", leased ? String.valueOf(record.deadline()) : null)
                .put("forgottenAt", record.purgeAt() == null ? null : String.valueOf(record.purgeAt()))
                .put("ifAbandoned", record.ifAbandoned() == null ? null : name(record.ifAbandoned()));
    }

    /** A state as it is told. */
    static String name(KeyStatus state) {
        return name((Enum<?>) state);
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
