package dev.semel.server.apps.tables;

import static dev.semel.server.apps.tables.TableCollections.HANDS;
import static dev.semel.server.apps.tables.TableCollections.LIFETIME;
import static dev.semel.server.apps.tables.TableCollections.SESSIONS;
import static dev.semel.server.apps.tables.TableCollections.TABLES;
import static dev.semel.server.apps.tables.TableCollections.accepted;
import static dev.semel.server.apps.tables.TableCollections.change;
import static dev.semel.server.apps.tables.TableCollections.endOf;
import static dev.semel.server.apps.tables.TableCollections.extend;
import static dev.semel.server.apps.tables.TableCollections.table;

import dev.semel.document.Transaction;
import dev.semel.http.Idempotency;
import dev.semel.http.Problem;
import dev.semel.id.IdRegistry.IdKind;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.server.web.Routes.Access;
import dev.semel.store.Document;
import dev.semel.store.spi.DocumentStore;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The tables API: tables, sessions, hands, player actions and the kinds of ids. */
public final class Tables implements App {

    private static final Duration SESSION_TTL = Duration.ofMinutes(10);

    /** Nothing that is stored refers to a session that has expired, so its id does not stay bound indefinitely. */
    private static final Duration SESSION_BINDING_TTL = SESSION_TTL.plusDays(30);

    private static final String TABLE = "/v1/tables/{tableId}";

    private final DocumentStore store;
    private final Actions actions;
    private final Settlements settlements;

    /**
     * @param actions applies actions, for HTTP requests and WebSockets
     * @param mismatchListener called for each duplicate of a settlement with another payload, after its commit
     */
    public Tables(DocumentStore store, Actions actions, Runnable mismatchListener) {
        this.store = store;
        this.actions = actions;
        this.settlements = new Settlements(store, mismatchListener);
    }

    @Override
    public List<String> internalUsersOf(String user) {
        return List.of(Actions.internalUser(user));
    }

    @Override
    public void declare(Routes routes) {
        routes.get("/v1/ids/kinds", request -> kinds())
                .atomic("POST", "/v1/tables", Tables::open)
                .get(TABLE, this::show)
                .atomic("DELETE", TABLE, Tables::end)
                .atomic("POST", TABLE + "/sessions", Tables::enter)
                .atomic("POST", TABLE + "/hands", Tables::deal)
                .atomic("DELETE", TABLE + "/hands/{handId}", Tables::endHand)
                // An action is identified by its clientMsgId instead of a header.
                .add("POST", TABLE + "/actions", Idempotency.NONE, Access.USERS, this::act)
                .add(
                        "GET",
                        TABLE + "/actions",
                        Idempotency.NONE,
                        Access.PUBLIC,
                        new ActionWebSocketHandler(store, actions));
        settlements.declare(routes);
    }

    private static ApiResponse kinds() {
        ObjectNode body = JsonText.object();
        ArrayNode items = body.putArray("items");
        for (IdKind kind : TableIds.REGISTRY.kinds()) {
            items.add(JsonText.object()
                    .put("kind", kind.name())
                    .put("scheme", kind.scheme())
                    .put("mintedBy", kind.mintedBy())
                    .put("lifetime", kind.lifetime())
                    .put("purpose", kind.purpose()));
        }
        return ApiResponse.ok(body);
    }

    private static ApiResponse open(Request request) {
        String tableId = IdBindings.mint(request.tx(), "tableId");
        TABLES.create(
                request.tx(), tableId, TableState.createdBy(request.user()).json(), LIFETIME);
        return ApiResponse.created(JsonText.object().put("tableId", tableId));
    }

    private ApiResponse show(Request request) {
        Document table = table(store, tableId(request));
        TableState state = TableState.of(table.data());
        return ApiResponse.ok(JsonText.object()
                .put("tableId", table.key())
                .put("createdAt", JsonText.time(table.createdAt()))
                .put("endsAt", JsonText.time(endOf(table)))
                .put("hands", state.hands())
                .put("actions", state.actions())
                .put("pot", state.pot())
                .put("settlements", state.settlements()));
    }

    /** Deletes the table. The binding of its id stays, so requests for the table get 410. */
    private static ApiResponse end(Request request) {
        Document table = table(request.tx(), tableId(request));
        requireCreator(request, table);
        TABLES.delete(request.tx(), table.key());
        return ApiResponse.ok(JsonText.object().put("tableId", table.key()).put("ended", true));
    }

    private static ApiResponse enter(Request request) {
        Transaction tx = request.tx();
        Document table = table(tx, tableId(request));
        Session session = new Session(table.key(), request.user(), 0);
        String sid = IdBindings.mint(tx, "sessionId", SESSION_BINDING_TTL);
        SESSIONS.create(tx, sid, session.json(), SESSION_TTL);
        extend(tx, table);
        return ApiResponse.created(JsonText.object()
                .put("sid", sid)
                .put("expiresAt", JsonText.time(tx.now().plus(SESSION_TTL))));
    }

    private static ApiResponse deal(Request request) {
        Document table = table(request.tx(), tableId(request));
        String handId = IdBindings.mint(request.tx(), "handId");
        HANDS.create(request.tx(), handId, new Hand(table.key()).json(), LIFETIME);
        change(request.tx(), table, TableState::withHand);
        return ApiResponse.created(JsonText.object().put("handId", handId));
    }

    private static ApiResponse endHand(Request request) {
        Transaction tx = request.tx();
        String tableId = tableId(request);
        String handId = accepted("handId", "handId", request.part("handId"));
        Document table = table(tx, tableId);
        Document hand = HANDS.read(tx, handId).orElseThrow(() -> IdBindings.missing(tx, "handId", "handId", handId));
        if (!Hand.of(hand.data()).tableId().equals(tableId)) {
            throw ProblemException.notFound("hand at this table");
        }
        requireCreator(request, table);
        HANDS.delete(tx, handId);
        return ApiResponse.ok(JsonText.object().put("handId", handId).put("ended", true));
    }

    private static void requireCreator(Request request, Document table) {
        if (!request.isOperator() && !TableState.of(table.data()).createdBy().equals(request.user())) {
            throw new ProblemException(Problem.of(403, "not_creator", "Forbidden")
                    .detailed("Only the user who created the table and operators may do this"));
        }
    }

    private ApiResponse act(Request request) {
        return ApiResponse.ok(actions.apply(request.user(), tableId(request), request.object()));
    }

    private static String tableId(Request request) {
        return accepted("tableId", "tableId", request.part("tableId"));
    }
}
