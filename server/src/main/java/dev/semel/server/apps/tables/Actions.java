package dev.semel.server.apps.tables;

import static dev.semel.server.apps.tables.TableCollections.SESSIONS;
import static dev.semel.server.apps.tables.TableCollections.accepted;
import static dev.semel.server.apps.tables.TableCollections.change;
import static dev.semel.server.apps.tables.TableCollections.table;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.document.Transaction;
import dev.semel.document.Transactions;
import dev.semel.http.IdempotencyProblem;
import dev.semel.http.Problem;
import dev.semel.id.TextFormat;
import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Once.UnrecordedException;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.server.web.Caller;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.store.Document;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Applies player actions exactly once. An action is identified by its {@code clientMsgId} for a minute, and by its sequence number for the
 * lifetime of its session.
 */
public final class Actions {

    private static final Duration TTL = Duration.ofSeconds(60);

    /** How long a duplicate waits for an action in progress. */
    static final Duration MAX_WAIT = Duration.ofSeconds(30);

    private static final long MOST_AMOUNT = 1_000_000_000;
    private static final long MOST_SEQ = (1L << 53) - 1;
    private static final int LONGEST_ACTION = 32;

    private final Transactions transactions;
    private final Once once;

    public Actions(Transactions transactions, Time time, OnceListener listener) {
        OnceSettings settings = OnceSettings.DEFAULTS
                .withRetention(TTL)
                .withFailedRetention(TTL)
                .withTombstone(Duration.ZERO) // sequence numbers detect actions that are resent later
                .withQuota(Quota.NONE);
        this.transactions = transactions;
        this.once = new Once(transactions, time, settings, listener);
    }

    /** Thrown if an action was rejected. It is not recorded, so a corrected action may have the same id. */
    private static final class NotApplied extends UnrecordedException {

        private static final long serialVersionUID = 1L;

        private final ProblemException exception;

        NotApplied(ProblemException exception) {
            super(exception.problem().code());
            this.exception = exception;
        }
    }

    /** A parsed action. The message is in its canonical form. */
    private record Action(
            String clientMsgId,
            long amount,
            @Nullable String sid,
            @Nullable Long seq,
            ObjectNode message) {}

    /**
     * Applies an action, or returns its recorded result. Waits if the same action is in progress.
     *
     * @param tableId the id of the table in its canonical form
     * @throws ProblemException if the action is malformed or out of order, or its {@code clientMsgId} was used for another action
     */
    public ObjectNode apply(String user, String tableId, JsonNode message) {
        return apply(user, tableId, message, MAX_WAIT);
    }

    /**
     * Applies an action, or returns its recorded result.
     *
     * @param tableId the id of the table in its canonical form
     * @param maxWait how long to wait if the same action is in progress; after that, this one is rejected
     * @throws ProblemException if the action is malformed or out of order, or its {@code clientMsgId} was used for another action
     */
    ObjectNode apply(String user, String tableId, JsonNode message, Duration maxWait) {
        Action action = action((ObjectNode) message);
        table(transactions.store(), tableId); // fails before anything is recorded if there is no table, or it has ended
        Call call = Call.of(
                        new IdempotencyKey(internalUser(user), "action /v1/tables/" + tableId, action.clientMsgId),
                        Fingerprint.ofJson(JsonText.bytes(action.message)))
                .waiting(maxWait);
        Outcome outcome = once.atomic(call, tx -> {
            try {
                return Response.of(200, Map.of(), JsonText.bytes(applied(tx, user, tableId, action)));
            } catch (ProblemException e) {
                throw new NotApplied(e);
            }
        });
        return reply(outcome);
    }

    /** Returns the name under which actions of a user are recorded, so that they do not count against the user's quota of keys. */
    static String internalUser(String user) {
        return Caller.RESERVED_PREFIX + "actions-"
                + Fingerprint.ofBytes(user.getBytes(UTF_8)).hex();
    }

    private static Action action(ObjectNode message) {
        if (Request.isGiven(message, "type")
                && !message.get("type").asString("").equals("action")) {
            throw ProblemException.invalid("type", "must be action");
        }
        String clientMsgId = accepted("clientMsgId", "clientMsgId", message);
        String action = Request.text(message, "action", LONGEST_ACTION);
        if (!TextFormat.TEXT.isValid(action)) {
            throw ProblemException.invalid("action", "must consist of 0-9A-Za-z_-");
        }
        long amount = Request.isGiven(message, "amount") ? Request.whole(message, "amount", 0, MOST_AMOUNT) : 0;
        String sid = Request.isGiven(message, "sid") ? accepted("sessionId", "sid", message) : null;
        Long seq = Request.isGiven(message, "seq") ? Request.whole(message, "seq", 1, MOST_SEQ) : null;
        if (seq != null && sid == null) {
            throw ProblemException.invalid("sid", "is missing; seq is the number of an action within a session");
        }
        String bare = sid == null ? null : TableIds.withoutSessionPrefix(sid);

        // The fingerprint must not depend on how ids are encoded, or on how the action was sent.
        ObjectNode canonical = message.deepCopy().put("type", "action").put("clientMsgId", clientMsgId);
        if (bare != null) {
            canonical.put("sid", bare);
        }
        return new Action(clientMsgId, amount, bare, seq, canonical);
    }

    private static ObjectNode applied(Transaction tx, String user, String tableId, Action action) {
        Document table = table(tx, tableId);
        boolean known = action.sid != null && isKnown(tx, user, tableId, action.sid, action.seq);
        IdBindings.bindFor(TTL, tx, "clientMsgId", "clientMsgId", action.clientMsgId);
        TableState state =
                known ? TableState.of(table.data()) : change(tx, table, before -> before.withAction(action.amount));
        return JsonText.object()
                .put("type", "action_result")
                .put("clientMsgId", action.clientMsgId)
                .put("ok", true)
                .put("actions", state.actions())
                .put("pot", state.pot())
                .put("duplicate", known);
    }

    /** Whether the session has already used a sequence number. If not, marks it as used. */
    private static boolean isKnown(Transaction tx, String user, String tableId, String sid, @Nullable Long seq) {
        Document found = SESSIONS.read(tx, sid).orElseThrow(() -> IdBindings.unknown(tx, "sessionId", "sid", sid));
        Session session = Session.of(found.data());
        if (!session.user().equals(user) || !session.tableId().equals(tableId)) {
            throw ProblemException.notFound("session");
        }
        if (seq == null) {
            return false;
        }
        if (seq > session.last() + 1) {
            throw new ProblemException(Problem.of(409, "out_of_order", "out_of_order")
                    .detailed("The next action of the session is " + (session.last() + 1))
                    .with("expected", session.last() + 1));
        }
        if (seq <= session.last()) {
            return true;
        }
        SESSIONS.update(tx, sid, found.version(), session.withLast(seq).json());
        return false;
    }

    private static ObjectNode reply(Outcome outcome) {
        if (outcome instanceof Outcome.Executed executed) {
            return result(executed.response());
        }
        if (outcome instanceof Outcome.Replayed replayed) {
            return result(replayed.response()).put("duplicate", true);
        }
        if (outcome instanceof Outcome.Mismatch) {
            throw ProblemException.named(422, "payload_mismatch", "This clientMsgId was used for another action");
        }
        if (outcome instanceof Outcome.InProgress inProgress) {
            throw new ProblemException(IdempotencyProblem.IN_PROGRESS.retryAfter(inProgress.retryAfter()));
        }
        if (outcome instanceof Outcome.Failed failed && failed.cause() instanceof NotApplied notApplied) {
            throw notApplied.exception;
        }
        if (outcome instanceof Outcome.Failed failed && failed.cause() instanceof RuntimeException cause) {
            throw cause;
        }
        throw new IllegalStateException("Unexpected outcome of an action: " + outcome);
    }

    private static ObjectNode result(Response response) {
        return (ObjectNode) JsonText.written(response);
    }
}
