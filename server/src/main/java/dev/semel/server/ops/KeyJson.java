package dev.semel.server.ops;

import dev.semel.server.web.JsonText;
import dev.semel.store.KeyState;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import java.time.Instant;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/** What is told of a key: never what was asked for, nor what was answered. */
public final class KeyJson {

    private KeyJson() {}

    /** As its own user sees it. */
    public static ObjectNode own(OnceRecord record, Instant now) {
        // while it is under way its deadline is its lease's, which is no end of the record
        boolean ends = record.deadline() != null && record.status() != OnceStatus.PROCESSING;
        boolean ended = record.status() == OnceStatus.COMPLETED || record.status() == OnceStatus.FAILED;
        return JsonText.object()
                .put("key", record.key().key())
                .put("endpoint", record.key().endpoint())
                .put("status", name(record.stateAt(now)))
                .put("clientTxId", record.clientTxId())
                .put("attempts", record.attempts())
                .put("createdAt", record.createdAt().toString())
                .put("expiresAt", ends ? String.valueOf(record.deadline()) : null)
                .put("outcome", ended ? name(record.status()) : null);
    }

    /** As operators see it. */
    static ObjectNode forOperators(OnceRecord record, Instant now) {
        boolean leased = record.deadline() != null && record.status() == OnceStatus.PROCESSING;
        return own(record, now)
                .put("user", record.key().user())
                .put("fence", record.fence())
                .put("leaseUntil", leased ? String.valueOf(record.deadline()) : null)
                .put("forgottenAt", record.forgottenAt() == null ? null : String.valueOf(record.forgottenAt()))
                .put("ifAbandoned", record.ifAbandoned() == null ? null : name(record.ifAbandoned()));
    }

    /** A state as it is told. */
    static String name(KeyState state) {
        return name((Enum<?>) state);
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
