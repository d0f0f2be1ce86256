package dev.semel.server.ops;

import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.KeyPage;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.OnceStore;
import dev.semel.store.spi.OnceStore.Lookup;
import org.jspecify.annotations.Nullable;

/** Lets users look up their own idempotency keys. */
public final class IdempotencyApi implements App {

    private final OnceStore store;
    private final StoreAdmin admin;

    public IdempotencyApi(OnceStore store, StoreAdmin admin) {
        this.store = store;
        this.admin = admin;
    }

    @Override
    public void declare(Routes routes) {
        routes.get("/v1/idempotency/{key}", this::find).get("/v1/idempotency", this::list);
    }

    private ApiResponse find(Request request) {
        Lookup found = store.find(KeyParameters.key(request, request.user()));
        IdempotencyRecord record = found.record();
        if (record == null) {
            throw ProblemException.notFound("key");
        }
        return ApiResponse.ok(KeyJson.own(record, found.now()));
    }

    /**
     * Lists the keys of the caller. With a transaction id, finds those that were sent with it, for clients that do not know whether their
     * request arrived.
     */
    private ApiResponse list(Request request) {
        String clientTxId = clientTxId(request);
        KeyQuery query = KeyQuery.all(request.limit())
                .ofUser(request.user())
                .ofClientTx(clientTxId)
                .in(KeyParameters.status(request));
        KeyPage page = KeyPages.find(request, admin, query);
        boolean isEmpty = page.records().isEmpty() && page.next().isEmpty() && request.after() == null;
        if (isEmpty && clientTxId != null) {
            throw ProblemException.notFound("transaction");
        }
        return KeyPages.respond(page, KeyJson::own);
    }

    private static @Nullable String clientTxId(Request request) {
        String clientTxId = request.parameter("clientTxId").orElse(null);
        try {
            return clientTxId == null ? null : TextFormat.TEXT.check("clientTxId", clientTxId);
        } catch (MalformedException e) {
            throw ProblemException.malformed(e);
        }
    }
}
