package dev.semel.server;

import dev.semel.id.MalformedException;
import dev.semel.server.web.Answer;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Refusal;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.Quota;
import dev.semel.store.Sighting;
import dev.semel.store.Store;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/** Shows callers what became of their own keys. */
final class KeyRecords implements App {

    private final Store store;

    KeyRecords(Store store) {
        this.store = store;
    }

    @Override
    public void declare(Routes routes) {
        routes.get("/v1/idempotency/{key}", this::find);
    }

    private Answer find(Request request) {
        String endpoint = request.parameter("endpoint")
                .orElseThrow(() ->
                        Refusal.invalid("endpoint", "is missing: a method and a path, such as POST /v1/feed/posts"));
        OnceKey key;
        try {
            key = new OnceKey(request.user(), endpoint, request.part("key"));
        } catch (MalformedException e) {
            throw Refusal.invalid(e.field(), e.problem() + "; expected " + e.expected());
        }
        Sighting seen = store.find(key, Quota.NONE);
        OnceRecord record = seen.record();
        if (record == null) {
            throw Refusal.notFound("key of yours");
        }
        return Answer.ok(json(record, seen));
    }

    private static ObjectNode json(OnceRecord record, Sighting seen) {
        ObjectNode json = JsonText.object()
                .put("key", record.key().key())
                .put("endpoint", record.key().endpoint())
                .put("status", status(record, seen))
                .put("clientTxId", record.clientTxId())
                .put("attempts", record.attempts())
                .put("createdAt", record.createdAt().toString());
        // while it is under way its deadline is its lease's, which is no end of the record
        boolean ends = record.deadline() != null && record.status() != OnceStatus.PROCESSING;
        return json.put("expiresAt", ends ? String.valueOf(record.deadline()) : null);
    }

    private static String status(OnceRecord record, Sighting seen) {
        boolean ended = record.status() == OnceStatus.COMPLETED || record.status() == OnceStatus.FAILED;
        if (record.ifAbandoned() == IfAbandoned.FREEZE
                && record.status() == OnceStatus.PROCESSING
                && record.isOverAt(seen.now())) {
            return "unknown"; // as the next retry will be told
        }
        return ended && record.isOverAt(seen.now())
                ? "expired"
                : record.status().name().toLowerCase(Locale.ROOT);
    }
}
