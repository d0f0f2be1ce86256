package dev.semel.server.apps.tables;

import static dev.semel.server.apps.tables.TableCollections.HANDS;
import static dev.semel.server.apps.tables.TableCollections.SESSIONS;
import static dev.semel.server.apps.tables.TableCollections.TABLES;
import static dev.semel.server.apps.tables.TableCollections.accepted;
import static dev.semel.server.apps.tables.TableCollections.change;
import static dev.semel.server.apps.tables.TableCollections.table;

import dev.semel.http.Idempotency;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.server.web.Routes.Access;
import dev.semel.store.Document;
import dev.semel.store.spi.DocumentStore;
import java.time.Duration;
import java.util.List;

/** The tables API: tables, sessions, hands and player actions. */
public final class Tables implements App {

    private static final Duration SESSION_TTL = Duration.ofMinutes(10);

    private static final String TABLE = "/v1/tables/{tableId}";

    private final DocumentStore store;
    private final Actions actions;

    /** @param actions applies actions, for HTTP requests and WebSockets */
    public Tables(DocumentStore store, Actions actions) {
        this.store = store;
        this.actions = actions;
    }

    @Override
    public List<String> internalUsersOf(String user) {
        return List.of(Actions.internalUser(user));
    }

    @Override
    public void declare(Routes routes) {
        routes.atomic("POST", "/v1/tables", Tables::open)
                .get(TABLE, this::show)
                .atomic("POST", TABLE + "/sessions", Tables::enter)
                .atomic("POST", TABLE + "/hands", Tables::deal)
                // An action is identified by its clientMsgId instead of a header.
                .add("POST", TABLE + "/actions", Idempotency.NONE, Access.USERS, this::act)
                .add(
                        "GET",
                        TABLE + "/actions",
                        Idempotency.NONE,
                        Access.PUBLIC,
                        new ActionWebSocketHandler(store, actions));
        new Settlements(store).declare(routes);
    }

    private static ApiResponse open(Request request) {
        Document table =
                TABLES.createMinted(request.tx(), TableIds.REGISTRY.kind("tableId")::mint, TableState.NEW.json());
        return ApiResponse.created(JsonText.object().put("tableId", table.key()));
    }

    private ApiResponse show(Request request) {
        Document table = table(store, tableId(request));
        TableState state = TableState.of(table.data());
        return ApiResponse.ok(JsonText.object()
                .put("tableId", table.key())
                .put("createdAt", JsonText.time(table.createdAt()))
                .put("hands", state.hands())
                .put("actions", state.actions())
                .put("pot", state.pot())
                .put("settlements", state.settlements()));
    }

    private static ApiResponse enter(Request request) {
        Document table = table(request.tx(), tableId(request));
        Session session = new Session(table.key(), request.user(), 0);
        String sid = TableIds.REGISTRY.mint("sessionId");
        SESSIONS.create(request.tx(), sid, session.json(), SESSION_TTL);
        return ApiResponse.created(JsonText.object()
                .put("sid", sid)
                .put("expiresAt", JsonText.time(request.tx().now().plus(SESSION_TTL))));
    }

    private static ApiResponse deal(Request request) {
        Document table = table(request.tx(), tableId(request));
        Document hand = HANDS.createMinted(
                request.tx(),
                TableIds.REGISTRY.kind("handId")::mint,
                JsonText.json(JsonText.object().put("tableId", table.key())));
        change(request.tx(), table, TableState::withHand);
        return ApiResponse.created(JsonText.object().put("handId", hand.key()));
    }

    private ApiResponse act(Request request) {
        return ApiResponse.ok(actions.apply(request.user(), tableId(request), request.object()));
    }

    private static String tableId(Request request) {
        return accepted("tableId", "tableId", request.part("tableId"));
    }
}
