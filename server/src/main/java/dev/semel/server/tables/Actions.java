package dev.semel.server.tables;

import static dev.semel.server.tables.TableRecords.SESSIONS;
import static dev.semel.server.tables.TableRecords.accepted;
import static dev.semel.server.tables.TableRecords.change;
import static dev.semel.server.tables.TableRecords.table;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.http.EdgeProblem;
import dev.semel.http.Problem;
import dev.semel.id.TextFormat;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.once.UnrecordedException;
import dev.semel.server.web.Caller;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Refusal;
import dev.semel.server.web.Request;
import dev.semel.store.Document;
import dev.semel.store.OnceKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.Transaction;
import dev.semel.store.Transactions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What players do, each thing once. An action is known by its {@code clientMsgId} for a minute; numbered within a session, for as
 * long as the session lives.
 */
public final class Actions {

    private static final Duration LIFE = Duration.ofSeconds(60);

    /** How long a duplicate waits for the first one's result. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final long MOST_AMOUNT = 1_000_000_000;
    private static final long MOST_SEQ = (1L << 53) - 1;
    private static final int LONGEST_ACTION = 32;
    private static final String SESSION_PREFIX = "session-";

    private final Transactions transactions;
    private final Once once;

    public Actions(Transactions transactions, Time time, OnceListener listener) {
        OnceSettings settings = OnceSettings.DEFAULTS
                .withRetention(LIFE)
                .withFailedRetention(LIFE)
                .withTombstone(Duration.ZERO) // who comes back later has numbered their actions
                .withQuota(Quota.NONE);
        this.transactions = transactions;
        this.once = new Once(transactions, time, settings, listener);
    }

    /** An action that is refused may be sent again, mended, under the same id. */
    private static final class NotApplied extends UnrecordedException {

        private static final long serialVersionUID = 1L;

        private final Refusal refusal;

        NotApplied(Refusal refusal) {
            super(refusal.problem().code());
            this.refusal = refusal;
        }
    }

    /** An action as it came in. */
    private record Action(
            String clientMsgId,
            long amount,
            @Nullable String sid,
            @Nullable Long seq,
            ObjectNode message) {}

    /**
     * Applies an action, or tells what came of it when it was applied; one that is being applied by others is waited for.
     *
     * @param tableId in its canonical spelling
     * @throws Refusal if it is malformed, out of order, or another one under the same {@code clientMsgId}
     */
    public ObjectNode apply(String user, String tableId, JsonNode message) {
        return apply(user, tableId, message, PATIENCE);
    }

    /**
     * Applies an action, or tells what came of it when it was applied.
     *
     * @param tableId in its canonical spelling
     * @param patience how long others who are applying it are waited for; after that it is refused
     * @throws Refusal if it is malformed, out of order, or another one under the same {@code clientMsgId}
     */
    ObjectNode apply(String user, String tableId, JsonNode message, Duration patience) {
        Action action = action((ObjectNode) message);
        table(transactions.store(), tableId); // or else there is nothing to be kept of it
        Call call = Call.of(
                        new OnceKey(keeper(user), "action /v1/tables/" + tableId, action.clientMsgId),
                        Fingerprint.ofJson(JsonText.bytes(action.message)))
                .waiting(patience);
        Outcome outcome = once.atomic(call, tx -> {
            try {
                return Response.of(200, Map.of(), JsonText.bytes(applied(tx, user, tableId, action)));
            } catch (Refusal refusal) {
                throw new NotApplied(refusal);
            }
        });
        return told(outcome);
    }

    /** Actions are no keys that a user begins, and must not count as such; so they are kept under a name made of the user's. */
    static String keeper(String user) {
        return Caller.SEMEL + "actions-"
                + Fingerprint.ofBytes(user.getBytes(UTF_8)).hex();
    }

    private static Action action(ObjectNode message) {
        if (Request.isGiven(message, "type")
                && !message.get("type").asString("").equals("action")) {
            throw Refusal.invalid("type", "has to be action");
        }
        String clientMsgId = accepted("clientMsgId", "clientMsgId", message);
        String action = Request.text(message, "action", LONGEST_ACTION);
        if (!TextFormat.TEXT.isValid(action)) {
            throw Refusal.invalid("action", "has to be a word of 0-9A-Za-z_-");
        }
        long amount = Request.isGiven(message, "amount") ? Request.whole(message, "amount", 0, MOST_AMOUNT) : 0;
        String sid = Request.isGiven(message, "sid") ? accepted("sessionId", "sid", message) : null;
        Long seq = Request.isGiven(message, "seq") ? Request.whole(message, "seq", 1, MOST_SEQ) : null;
        if (seq != null && sid == null) {
            throw Refusal.invalid("sid", "is missing; a seq counts the actions of a session");
        }
        String bare = sid != null && sid.startsWith(SESSION_PREFIX) ? sid.substring(SESSION_PREFIX.length()) : sid;

        // What is the same action is the same however its ids are spelled and on whichever way it comes.
        ObjectNode spelled = message.deepCopy().put("type", "action").put("clientMsgId", clientMsgId);
        if (bare != null) {
            spelled.put("sid", bare);
        }
        return new Action(clientMsgId, amount, bare, seq, spelled);
    }

    private static ObjectNode applied(Transaction tx, String user, String tableId, Action action) {
        Document table = table(tx, tableId);
        boolean known = action.sid != null && isKnown(tx, user, tableId, action.sid, action.seq);
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

    /** Whether a session has had this number before; if not, it has it now. */
    private static boolean isKnown(Transaction tx, String user, String tableId, String sid, @Nullable Long seq) {
        Optional<Document> found = SESSIONS.read(tx, sid);
        Session session = found.map(Document::data).map(Session::of).orElse(null);
        if (session == null
                || !session.user().equals(user)
                || !session.tableId().equals(tableId)) {
            throw Refusal.notFound("session");
        }
        if (seq == null) {
            return false;
        }
        if (seq > session.last() + 1) {
            throw new Refusal(Problem.of(409, "out_of_order", "out_of_order")
                    .detailed("The next action of the session is " + (session.last() + 1))
                    .with("expected", session.last() + 1));
        }
        if (seq <= session.last()) {
            return true;
        }
        SESSIONS.update(
                tx, sid, found.orElseThrow().version(), session.withLast(seq).json());
        return false;
    }

    private static ObjectNode told(Outcome outcome) {
        if (outcome instanceof Outcome.Executed executed) {
            return result(executed.response());
        }
        if (outcome instanceof Outcome.Replayed replayed) {
            return result(replayed.response()).put("duplicate", true);
        }
        if (outcome instanceof Outcome.Mismatch) {
            throw Refusal.named(422, "payload_mismatch", "This clientMsgId was used for another action");
        }
        if (outcome instanceof Outcome.InProgress inProgress) {
            throw new Refusal(EdgeProblem.IN_PROGRESS.retryAfter(inProgress.retryAfter()));
        }
        if (outcome instanceof Outcome.Failed failed && failed.cause() instanceof NotApplied notApplied) {
            throw notApplied.refusal;
        }
        if (outcome instanceof Outcome.Failed failed && failed.cause() instanceof RuntimeException cause) {
            throw cause;
        }
        throw new IllegalStateException("An action cannot come to this: " + outcome);
    }

    private static ObjectNode result(Response response) {
        return (ObjectNode) JsonText.tree(Json.ofChecked(response.body()));
    }
}
