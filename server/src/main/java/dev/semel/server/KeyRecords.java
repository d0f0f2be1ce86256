package dev.semel.server;

import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import dev.semel.server.ops.KeyJson;
import dev.semel.server.ops.KeyPages;
import dev.semel.server.web.Answer;
import dev.semel.server.web.App;
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

/** Shows callers what became of their own keys. */
final class KeyRecords implements App {

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
        KeyQuery query = KeyQuery.all(request.limit()).ofUser(request.user()).ofClientTx(clientTxId);
        KeyPage page = KeyPages.find(request, store, query);
        if (page.records().isEmpty() && request.after() == null) {
            throw Refusal.notFound("transaction of yours");
        }
        return KeyPages.answer(page, KeyJson::own);
    }
}
