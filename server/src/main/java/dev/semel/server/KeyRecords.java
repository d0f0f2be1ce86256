package dev.semel.server;

import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import dev.semel.server.ops.KeyJson;
import dev.semel.server.web.Answer;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Refusal;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.KeyPage;
import dev.semel.store.KeyQuery;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.Quota;
import dev.semel.store.Sighting;
import dev.semel.store.Store;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Shows callers what became of their own keys. */
final class KeyRecords implements App {

    /** A transaction has a few keys at most; who has more is shown the first of them. */
    private static final int MOST_KEYS = 1000;

    private final Store store;

    KeyRecords(Store store) {
        this.store = store;
    }

    @Override
    public void declare(Routes routes) {
        routes.get("/v1/idempotency/{key}", this::find).get("/v1/idempotency", this::list);
    }

    private Answer find(Request request) {
        String endpoint = request.parameter("endpoint")
                .orElseThrow(() ->
                        Refusal.invalid("endpoint", "is missing: a method and a path, such as POST /v1/feed/posts"));
        OnceKey key;
        try {
            key = new OnceKey(request.user(), endpoint, request.part("key"));
        } catch (MalformedException e) {
            throw Refusal.malformed(e);
        }
        Sighting seen = store.find(key, Quota.NONE);
        OnceRecord record = seen.record();
        if (record == null) {
            throw Refusal.notFound("key of yours");
        }
        return Answer.ok(KeyJson.own(record, seen.now()));
    }

    /** For those who know what they called the transaction, and no longer whether it arrived. */
    private Answer list(Request request) {
        String clientTxId = request.parameter("clientTxId")
                .orElseThrow(() -> Refusal.invalid("clientTxId", "is missing: what was sent as X-Client-Tx-Id"));
        try {
            TextFormat.TEXT.check("clientTxId", clientTxId);
        } catch (MalformedException e) {
            throw Refusal.malformed(e);
        }
        KeyPage page = store.housekeeping()
                .list(KeyQuery.all(MOST_KEYS).ofUser(request.user()).ofClientTx(clientTxId));
        if (page.records().isEmpty()) {
            throw Refusal.notFound("transaction of yours");
        }
        ObjectNode answer = JsonText.object();
        ArrayNode items = answer.putArray("items");
        page.records().forEach(record -> items.add(KeyJson.own(record, page.now())));
        return Answer.ok(answer);
    }
}
