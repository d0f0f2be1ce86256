package dev.semel.server.ops;

import dev.semel.document.Transactions;
import dev.semel.document.Transactions.Ending;
import dev.semel.http.Problem;
import dev.semel.json.Json;
import dev.semel.once.OnceSettings;
import dev.semel.once.OperatorAction;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.Caller;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Pages;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Response;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OnceStore.Lookup;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Lets operators inspect keys, resolve keys whose outcome is unknown, and erase users. */
public final class OperatorApi implements App {

    private static final String KEY = "/v1/ops/keys/{user}/{key}";

    /** For users and keys that do not fit into a path: they are in the query. */
    private static final String ANY_KEY = "/v1/ops/key";

    private static final int LONGEST_REASON = 1000;

    /** Statuses that the filter never records for replay. */
    private static final Set<Integer> NOT_FINAL = Set.of(205, 401, 409, 412, 429);

    private static final int NO_CONTENT = 204;

    private static final int MOST_ATTEMPTS = 10;
    private static final Json NOTHING = Json.of("{}");

    private final Transactions transactions;
    private final DocumentStore store;
    private final StoreAdmin admin;
    private final OnceSettings settings;
    private final List<App> apps;

    /** @param apps systems that may store keys of users under internal names */
    public OperatorApi(Transactions transactions, StoreAdmin admin, OnceSettings settings, List<App> apps) {
        this.transactions = transactions;
        this.apps = apps;
        this.store = transactions.store();
        this.admin = admin;
        this.settings = settings;
    }

    @Override
    public void declare(Routes routes) {
        routes.operator("GET", "/v1/ops/keys", this::list)
                .operator("GET", KEY, this::look)
                .operator("GET", ANY_KEY, this::look);
        for (OperatorAction action : OperatorAction.values()) {
            routes.operator("POST", KEY + "/" + name(action), request -> act(action, request))
                    .operator("POST", ANY_KEY + "/" + name(action), request -> act(action, request));
        }
        routes.operator("DELETE", "/v1/ops/users/{user}", this::erase)
                .operator("DELETE", "/v1/ops/user", this::erase)
                .operator(
                        "GET",
                        "/v1/ops/audit",
                        request -> Pages.respond(
                                request, (after, limit) -> Audit.newest(store, after, limit), Audit::json));
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private ApiResponse list(Request request) {
        KeyQuery query = KeyQuery.all(request.limit())
                .ofUser(request.parameter("user").orElse(null))
                .ofClientTx(request.parameter("clientTxId").orElse(null))
                .ofEndpoint(request.parameter("endpoint").orElse(null))
                .beginningWith(request.parameter("prefix").orElse(null))
                .in(KeyParameters.status(request))
                .createdBefore(
                        request.parameter("before").map(OperatorApi::time).orElse(null));
        return KeyPages.respond(KeyPages.find(request, admin, query), KeyJson::forOperators);
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw ProblemException.invalid("before", "must be a time such as 2026-01-07T12:00:00Z");
        }
    }

    private ApiResponse look(Request request) {
        Lookup found = store.find(KeyParameters.key(request));
        IdempotencyRecord record = requireFound(found);
        Response response = record.response();
        return ApiResponse.ok(KeyJson.forOperators(record, found.now())
                .put("responseStatus", response == null ? null : (Integer) response.status())
                .put("responseBytes", response == null ? null : (Integer) response.body().length));
    }

    private static IdempotencyRecord requireFound(Lookup found) {
        IdempotencyRecord record = found.record();
        if (record == null) {
            throw ProblemException.notFound("key");
        }
        return record;
    }

    private ApiResponse act(OperatorAction action, Request request) {
        IdempotencyKey key = KeyParameters.key(request);
        JsonNode body = request.object();
        String reason = meaningful(Request.text(body, "reason", LONGEST_REASON));
        Response response = action == OperatorAction.COMPLETE ? responseToRecord(request, body) : null;
        Lookup found = store.find(key);
        long decidedAbout =
                requireFound(found).fencingToken(); // a retry that starts the key meanwhile changes its fencing token
        for (int attempts = 1;
                attempts <= MOST_ATTEMPTS && requireFound(found).fencingToken() == decidedAbout;
                attempts++) {
            String before = KeyJson.name(requireFound(found).statusAt(found.now()));
            IdempotencyWrite write = action.on(found, settings, response);
            if (write == null) {
                throw new ProblemException(Problem.of(409, "wrong_state", "Wrong state")
                        .detailed("A key that is " + before + rejectedBecause(action, before))
                        .with("state", before));
            }
            IdempotencyRecord after = write(write, action, reason, request.user(), before);
            if (after != null) {
                return ApiResponse.ok(KeyJson.forOperators(after, store.clock().instant()));
            }
            found = store.find(key);
        }
        throw new ProblemException(
                Problem.of(409, "busy", "Busy").detailed("The key keeps changing: read it again before you decide"));
    }

    private static String rejectedBecause(OperatorAction action, String before) {
        return switch (action) {
            case RELEASE -> " has no owner: there is nothing to release";
            case EXPIRE ->
                before.equals("expired") ? " has expired already" : " has not completed: release or complete it";
            case COMPLETE ->
                before.equals("processing")
                        ? " has an owner that may complete it: release it first"
                        : before.equals("expired") ? " has completed, and has expired since" : " has been completed";
        };
    }

    /**
     * Returns the response to replay, with the body exactly as the operator sent it. The default is 200 with an empty object, or 204
     * without a body.
     */
    private Response responseToRecord(Request request, JsonNode body) {
        int status = Request.isGiven(body, "status") ? (int) Request.whole(body, "status", 200, 499) : 200;
        if (NOT_FINAL.contains(status) || (status >= 300 && status < 400)) {
            throw ProblemException.invalid("status", "must be a status of a final response");
        }
        Optional<Json> sent = JsonText.member(request.json(), "body");
        if (status == NO_CONTENT && Request.isGiven(body, "body")) {
            throw ProblemException.invalid("body", "must be absent if the status is 204");
        }
        if (status >= 400 && !body.path("body").isObject()) {
            throw ProblemException.invalid("body", "must be a problem object with the reason of the rejection");
        }
        Response response = status == NO_CONTENT
                ? Response.of(status, Map.of(), new byte[0])
                : Response.of(
                        status,
                        Map.of("Content-Type", status < 400 ? "application/json" : "application/problem+json"),
                        sent.orElse(NOTHING).bytes());
        if (response.size() > settings.responseLimit()) {
            throw ProblemException.invalid("body", "must not be larger than " + settings.responseLimit() + " bytes");
        }
        return response;
    }

    /** Records the action and its audit entry in one commit. Returns null after a write conflict. */
    private @Nullable IdempotencyRecord write(
            IdempotencyWrite write, OperatorAction action, String reason, String operator, String before) {
        IdempotencyKey key = write.record().key();
        CommitResult result = transactions
                .run(
                        tx -> {
                            ObjectNode what = JsonText.object()
                                    .put("user", key.user())
                                    .put("endpoint", key.endpoint())
                                    .put("key", key.key())
                                    .put("before", before);
                            Audit.add(tx, operator, name(action), reason, what);
                            return key;
                        },
                        any -> new Ending(false, write),
                        Transactions.DEFAULT_BACKOFF)
                .commit();
        return result instanceof CommitResult.Applied applied ? applied.record() : null;
    }

    private ApiResponse erase(Request request) {
        String user = KeyParameters.text(request, "user");
        if (!Caller.isName(user)) {
            throw ProblemException.invalid("user", Caller.NAMES);
        }
        String reason = reason(request);
        boolean records = flag(request, "records");
        transactions.run(tx -> {
            ObjectNode what = JsonText.object().put("user", user).put("records", records);
            Audit.add(tx, request.user(), "erase", reason, what);
            return user;
        });
        Map<String, Long> counts = new TreeMap<>(admin.erase(user, records));
        for (App app : apps) {
            for (String name : app.internalUsersOf(user)) {
                admin.erase(name, false).forEach((table, count) -> counts.merge(table, count, Long::sum));
            }
        }
        ObjectNode erased = JsonText.object();
        counts.forEach(erased::put);
        ObjectNode body = JsonText.object().put("user", user);
        body.set("erased", erased);
        return ApiResponse.ok(body);
    }

    private static boolean flag(Request request, String name) {
        String value = request.parameter(name).orElse("false");
        if (!value.equals("true") && !value.equals("false")) {
            throw ProblemException.invalid(name, "must be true or false");
        }
        return value.equals("true");
    }

    /** Returns the reason from the body or the query, since some clients cannot send a body with DELETE. */
    private static String reason(Request request) {
        if (request.parameter("reason").isEmpty() && request.body().length > 0) {
            return meaningful(Request.text(request.object(), "reason", LONGEST_REASON));
        }
        String reason = request.parameter("reason").orElse("none given");
        if (reason.length() > LONGEST_REASON) {
            throw ProblemException.invalid("reason", "must have 1 to " + LONGEST_REASON + " characters");
        }
        return meaningful(reason);
    }

    /** Rejects reasons without a letter or digit, and with control characters other than line breaks. */
    private static String meaningful(String reason) {
        if (reason.codePoints().noneMatch(Character::isLetterOrDigit)
                || reason.codePoints().anyMatch(c -> Character.isISOControl(c) && !Character.isWhitespace(c))) {
            throw ProblemException.invalid(
                    "reason", "must contain a letter or a digit, and no control characters except line breaks");
        }
        return reason;
    }
}
