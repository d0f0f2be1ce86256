package dev.semel.server.ops;

import dev.semel.http.Problem;
import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import dev.semel.once.Intervention;
import dev.semel.once.OnceSettings;
import dev.semel.server.web.Answer;
import dev.semel.server.web.App;
import dev.semel.server.web.Caller;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Pages;
import dev.semel.server.web.Refusal;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.CommitResult;
import dev.semel.store.KeyQuery;
import dev.semel.store.KeyState;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Sighting;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ending;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Where operators look at keys, decide about those that nobody else can, and erase a user. */
public final class KeyDesk implements App {

    private static final String KEY = "/v1/ops/keys/{user}/{key}";
    private static final int LONGEST_REASON = 1000;

    /** Those that no retry is ever answered from a record. */
    private static final Set<Integer> NOT_FINAL = Set.of(205, 401, 409, 412, 429);

    private static final int NO_CONTENT = 204;

    private static final int MOST_LOOKS = 10;
    private static final Json NOTHING = Json.of("{}");

    private final Transactions transactions;
    private final Store store;
    private final OnceSettings settings;
    private final List<App> apps;

    /** @param apps that may keep keys of users under other names */
    public KeyDesk(Transactions transactions, OnceSettings settings, List<App> apps) {
        this.transactions = transactions;
        this.apps = apps;
        this.store = transactions.store();
        this.settings = settings;
    }

    @Override
    public void declare(Routes routes) {
        routes.operator("GET", "/v1/ops/keys", this::list).operator("GET", KEY, this::look);
        for (Intervention intervention : Intervention.values()) {
            routes.operator("POST", KEY + "/" + name(intervention), request -> intervene(intervention, request));
        }
        routes.operator("DELETE", "/v1/ops/users/{user}", this::erase)
                .operator(
                        "GET",
                        "/v1/ops/audit",
                        request -> Pages.answer(
                                request, (after, limit) -> Audit.newest(store, after, limit), Audit::json));
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private Answer list(Request request) {
        KeyQuery query = KeyQuery.all(request.limit())
                .ofUser(request.parameter("user").orElse(null))
                .ofClientTx(request.parameter("clientTxId").orElse(null))
                .ofEndpoint(request.parameter("endpoint").orElse(null))
                .beginningWith(request.parameter("prefix").orElse(null))
                .in(request.parameter("status").map(KeyDesk::state).orElse(null))
                .createdBefore(request.parameter("before").map(KeyDesk::time).orElse(null));
        return KeyPages.answer(KeyPages.find(request, store, query), KeyJson::forOperators);
    }

    private static KeyState state(String name) {
        return Arrays.stream(KeyState.values())
                .filter(state -> KeyJson.name(state).equals(name))
                .findFirst()
                .orElseThrow(
                        () -> Refusal.invalid("status", "has to be processing, completed, failed, unknown or expired"));
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw Refusal.invalid("before", "has to be a time such as 2026-01-07T12:00:00Z");
        }
    }

    private Answer look(Request request) {
        Sighting seen = store.find(key(request), Quota.NONE);
        OnceRecord record = found(seen);
        Response response = record.response();
        return Answer.ok(KeyJson.forOperators(record, seen.now())
                .put("responseStatus", response == null ? null : (Integer) response.status())
                .put("responseBytes", response == null ? null : (Integer) response.body().length));
    }

    private static OnceRecord found(Sighting seen) {
        OnceRecord record = seen.record();
        if (record == null) {
            throw Refusal.notFound("key");
        }
        return record;
    }

    private static OnceKey key(Request request) {
        String endpoint = request.parameter("endpoint")
                .orElseThrow(() ->
                        Refusal.invalid("endpoint", "is missing: a method and a path, such as POST /v1/feed/posts"));
        try {
            return new OnceKey(request.part("user"), endpoint, request.part("key"));
        } catch (MalformedException e) {
            throw Refusal.malformed(e);
        }
    }

    private Answer intervene(Intervention intervention, Request request) {
        OnceKey key = key(request);
        JsonNode body = request.object();
        String reason = meaningful(Request.text(body, "reason", LONGEST_REASON));
        Response response = intervention == Intervention.COMPLETE ? answered(request, body) : null;
        Sighting seen = store.find(key, Quota.NONE);
        long decidedAbout = found(seen).fence(); // not about who begins it meanwhile
        for (int looks = 1; looks <= MOST_LOOKS && found(seen).fence() == decidedAbout; looks++) {
            String before = KeyJson.name(found(seen).stateAt(seen.now()));
            OnceWrite write = intervention.on(seen, settings, response);
            if (write == null) {
                throw new Refusal(Problem.of(409, "wrong_state", "Wrong state")
                        .detailed("A key that is " + before + refusedBecause(intervention, before))
                        .with("state", before));
            }
            OnceRecord after = write(write, intervention, reason, request.user(), before);
            if (after != null) {
                return Answer.ok(KeyJson.forOperators(after, store.clock().instant()));
            }
            seen = store.find(key, Quota.NONE);
        }
        throw new Refusal(
                Problem.of(409, "busy", "Busy").detailed("The key is being changed by others: look at it again"));
    }

    private static String refusedBecause(Intervention intervention, String before) {
        return switch (intervention) {
            case RELEASE -> " is held by nobody: there is nothing to release";
            case EXPIRE ->
                before.equals("expired") ? " has expired already" : " has not come to an end: release or complete it";
            case COMPLETE ->
                before.equals("processing")
                        ? " has an owner who may complete it: release it first"
                        : before.equals("expired") ? " has come to an end, which is past" : " has been completed";
        };
    }

    /** What retries are to be answered, spelled as it came; 200 with an empty object, or 204 with nothing, unless it is said. */
    private Response answered(Request request, JsonNode body) {
        int status = Request.isGiven(body, "status") ? (int) Request.whole(body, "status", 200, 499) : 200;
        if (NOT_FINAL.contains(status) || (status >= 300 && status < 400)) {
            throw Refusal.invalid("status", "has to be one of an answer that is final");
        }
        Optional<Json> answer = JsonText.member(request.json(), "body");
        if (status == NO_CONTENT && Request.isGiven(body, "body")) {
            throw Refusal.invalid("body", "has to be left out where there is no content");
        }
        if (status >= 400 && !body.path("body").isObject()) {
            throw Refusal.invalid("body", "has to be a problem that tells why the request was refused");
        }
        Response response = status == NO_CONTENT
                ? Response.of(status, Map.of(), new byte[0])
                : Response.of(
                        status,
                        Map.of("Content-Type", status < 400 ? "application/json" : "application/problem+json"),
                        answer.orElse(NOTHING).bytes());
        if (response.size() > settings.responseLimit()) {
            throw Refusal.invalid("body", "is larger than what is kept, " + settings.responseLimit() + " bytes");
        }
        return response;
    }

    /** Null if somebody else was quicker. */
    private @Nullable OnceRecord write(
            OnceWrite write, Intervention intervention, String reason, String operator, String before) {
        OnceKey key = write.record().key();
        CommitResult result = transactions
                .run(
                        tx -> {
                            ObjectNode what = JsonText.object()
                                    .put("user", key.user())
                                    .put("endpoint", key.endpoint())
                                    .put("key", key.key())
                                    .put("before", before);
                            Audit.add(tx, operator, name(intervention), reason, what);
                            return key;
                        },
                        any -> new Ending(false, write),
                        Transactions.QUICK_PAUSES)
                .commit();
        return result instanceof CommitResult.Applied applied ? applied.once() : null;
    }

    private Answer erase(Request request) {
        String user = request.part("user");
        if (!Caller.isName(user)) {
            throw Refusal.invalid("user", Caller.NAMES);
        }
        String reason = reason(request);
        boolean records = flag(request, "records");
        transactions.run(tx -> {
            ObjectNode what = JsonText.object().put("user", user).put("records", records);
            Audit.add(tx, request.user(), "erase", reason, what);
            return user;
        });
        Map<String, Long> counts = new TreeMap<>(store.housekeeping().erase(user, records));
        for (App app : apps) {
            for (String name : app.namesFor(user)) {
                store.housekeeping()
                        .erase(name, false)
                        .forEach((table, count) -> counts.merge(table, count, Long::sum));
            }
        }
        ObjectNode erased = JsonText.object();
        counts.forEach(erased::put);
        ObjectNode answer = JsonText.object().put("user", user);
        answer.set("erased", erased);
        return Answer.ok(answer);
    }

    private static boolean flag(Request request, String name) {
        String said = request.parameter(name).orElse("false");
        if (!said.equals("true") && !said.equals("false")) {
            throw Refusal.invalid(name, "has to be true or false");
        }
        return said.equals("true");
    }

    /** Some clients cannot send a body with DELETE; who says nothing at all is noted to have given none. */
    private static String reason(Request request) {
        if (request.parameter("reason").isEmpty() && request.body().length > 0) {
            return meaningful(Request.text(request.object(), "reason", LONGEST_REASON));
        }
        String said = request.parameter("reason").orElse("none given");
        if (said.length() > LONGEST_REASON) {
            throw Refusal.invalid("reason", "has to have 1 to " + LONGEST_REASON + " characters");
        }
        return meaningful(said);
    }

    /** What looks like nothing is no reason. */
    private static String meaningful(String reason) {
        if (reason.codePoints().noneMatch(Character::isLetterOrDigit)
                || reason.codePoints().anyMatch(c -> Character.isISOControl(c) && !Character.isWhitespace(c))) {
            throw Refusal.invalid(
                    "reason", "has to have a letter or a digit, and no control characters but line breaks");
        }
        return reason;
    }
}
