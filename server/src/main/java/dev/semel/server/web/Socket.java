package dev.semel.server.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.http.IdempotencyProblem;
import dev.semel.http.Problem;
import dev.semel.json.Json;
import dev.semel.json.MalformedJsonException;
import dev.semel.server.web.Callers.Known;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A WebSocket connection. Messages are handled one at a time, and replies are sent in order. The next message is read only after the reply
 * to the previous one was written, so a client that sends faster than it reads slows down only itself. The token is verified for each
 * message; an {@code auth} message replaces it.
 */
public final class Socket implements Session.Listener {

    /** The maximum size of a message in bytes. */
    static final int MOST_BYTES = 64 << 10;

    /** The maximum size of a message before authentication, which is a token. */
    private static final int MOST_BYTES_UNAUTHENTICATED = 16 << 10;

    private static final Duration SIGN_IN_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration SILENCE_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration PING_AFTER = Duration.ofSeconds(20);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration RETRY_DELAY = Duration.ofMillis(20);

    private static final Logger LOG = LoggerFactory.getLogger(Socket.class);

    private final Sockets all;
    private final WebSocketHandler handler;
    private final Map<String, String> parts;
    private final String id;
    private final RateLimiter rateLimiter;
    private final long opened;

    private @Nullable Session session;
    private volatile @Nullable String token;
    private volatile @Nullable Known known;
    private volatile long heard;
    private long pinged;
    private int messages;

    // Guarded by this. While a message is in progress, its thread closes the connection when it has sent the reply.
    private boolean inProgress = true;
    private @Nullable Ending ending;
    private boolean ended;
    private long endedAt;

    /** The close code and reason of a connection. */
    private record Ending(int code, String reason) {}

    /**
     * Creates a connection that is not open yet.
     *
     * @param id the request id of the upgrade, for log entries
     * @param token the token of the upgrade request; null if it had none
     * @param known the caller of the token; null if there is no token
     */
    Socket(
            Sockets all,
            WebSocketHandler handler,
            Map<String, String> parts,
            String id,
            @Nullable String token,
            @Nullable Known known) {
        this.all = all;
        this.handler = handler;
        this.parts = parts;
        this.id = id;
        this.token = token;
        this.known = known;
        this.opened = all.time().nanoTime();
        this.heard = opened;
        this.pinged = opened;
        this.rateLimiter = new RateLimiter(all.messagesPerSecond(), opened);
    }

    /** Returns the user; null before authentication. */
    @Nullable String user() {
        Known who = known;
        return who == null ? null : who.caller().user();
    }

    @Override
    public void onWebSocketOpen(Session opening) {
        synchronized (this) {
            session = opening;
        }
        opening.setIdleTimeout(SILENCE_TIMEOUT.multipliedBy(2)); // for clients that do not read what is sent
        opening.setMaxBinaryMessageSize(MOST_BYTES_UNAUTHENTICATED);
        opening.setMaxTextMessageSize(known == null ? MOST_BYTES_UNAUTHENTICATED : MOST_BYTES);
        next();
    }

    @Override
    public void onWebSocketText(String text) {
        begin();
        if (isAccepted() && all.run(() -> handle(text))) {
            return;
        }
        next();
    }

    @Override
    public void onWebSocketBinary(ByteBuffer bytes, Callback callback) {
        begin();
        callback.succeed();
        send(
                handler.rejection(
                        null,
                        Problem.of(415, "unsupported_media_type", "Unsupported media type")
                                .detailed("Send JSON as a text message")),
                new Ending(StatusCode.BAD_DATA, "binary"));
    }

    @Override
    public void onWebSocketPing(ByteBuffer payload) {
        begin();
        rateLimiter.spend(heard);
        if (rateLimiter.isSpent()) {
            end(StatusCode.POLICY_VIOLATION, "rate_limited");
        }
        session().sendPong(payload, Callback.from(this::next, failure -> next()));
    }

    @Override
    public void onWebSocketPong(ByteBuffer payload) {
        begin();
        next();
    }

    @Override
    public void onWebSocketError(Throwable cause) {
        LOG.atDebug()
                .addKeyValue("request", id)
                .addKeyValue("error", cause.toString())
                .log("A WebSocket failed");
    }

    @Override
    public void onWebSocketClose(int code, @Nullable String reason, Callback callback) {
        all.closed(this);
        LOG.atInfo()
                .addKeyValue("request", id)
                .addKeyValue("user", user())
                .addKeyValue("messages", messages)
                .addKeyValue("code", code)
                .log("WebSocket closed");
        callback.succeed();
    }

    private void begin() {
        synchronized (this) {
            inProgress = true;
        }
        heard = all.time().nanoTime();
    }

    /** Whether the message may be handled. If not, the connection is being closed. */
    private boolean isAccepted() {
        messages++;
        rateLimiter.spend(heard);
        if (rateLimiter.isAbused()) {
            end(StatusCode.POLICY_VIOLATION, "rate_limited");
            return false;
        }
        synchronized (this) {
            return ending == null;
        }
    }

    private void handle(String text) {
        handle(text, all.time().nanoTime());
    }

    private void handle(String text, long startedAt) {
        MDC.put("request", id);
        try {
            handleMessage(text, startedAt);
        } finally {
            MDC.remove("request");
        }
    }

    private void handleMessage(String text, long startedAt) {
        ObjectNode message = null;
        try {
            message = message(text);
            if (rateLimiter.isSpent()) {
                throw new ProblemException(Problem.of(429, "rate_limited", "Too many messages")
                        .with(Problem.RETRY_AFTER, rateLimiter.pause().toMillis()));
            }
            send(reply(message), null);
        } catch (ProblemException e) {
            if (isInProgressElsewhere(e)
                    && all.time().nanoTime() - startedAt < handler.maxWait().toNanos()) {
                all.time().after(RETRY_DELAY, () -> retry(text, startedAt));
            } else {
                send(handler.rejection(message, e.problem()), endingFor(e));
            }
        } catch (RuntimeException | Error e) {
            send(handler.rejection(message, ErrorFilter.problem(e, Optional.empty(), id)), null);
        }
    }

    private static boolean isInProgressElsewhere(ProblemException e) {
        return e.problem().code().equals(IdempotencyProblem.IN_PROGRESS.code());
    }

    /** Retries a message later, without holding a thread in the meantime. */
    private void retry(String text, long startedAt) {
        if (!all.run(() -> handle(text, startedAt))) {
            next();
        }
    }

    /**
     * Returns the reason to disconnect, or null: clients are disconnected if they are not authenticated or may not use the path, but not
     * for an invalid message.
     */
    private @Nullable Ending endingFor(ProblemException e) {
        if (e.problem().status() == 401) {
            return new Ending(StatusCode.POLICY_VIOLATION, "unauthorized");
        }
        return known == null
                ? new Ending(StatusCode.POLICY_VIOLATION, e.problem().code())
                : null;
    }

    private static ObjectNode message(String text) {
        try {
            JsonNode tree = JsonText.tree(Json.of(text.getBytes(UTF_8)));
            if (tree instanceof ObjectNode object) {
                return object;
            }
        } catch (MalformedJsonException e) {
            throw ProblemException.unreadable(String.valueOf(e.getMessage()));
        }
        throw ProblemException.unreadable("The message is not an object");
    }

    private ObjectNode reply(ObjectNode message) {
        if (message.path("type").asString("").equals("auth")) {
            return signIn(message);
        }
        String current = token;
        if (current == null) {
            throw new ProblemException(Problem.of(401, "unauthorized", "Unauthorized")
                    .detailed("Send a token first: {\"type\":\"auth\",\"token\":\"…\"}"));
        }
        Known who = all.callers().byToken(current);
        return handler.handle(who.caller().user(), parts, message);
    }

    private ObjectNode signIn(ObjectNode message) {
        String sent = Request.text(message, "token", MOST_BYTES_UNAUTHENTICATED);
        Known before = known;
        Known who = all.callers().byToken(sent);
        String user = who.caller().user();
        if (before == null) {
            handler.open(user, parts);
            all.admit(user);
        } else if (!before.caller().user().equals(user)) {
            throw ProblemException.named(403, "other_user", "This connection belongs to another user");
        }
        known = who;
        token = sent;
        session().setMaxTextMessageSize(MOST_BYTES);
        return JsonText.object()
                .put("type", "auth_ok")
                .put("user", user)
                .put("expiresAt", JsonText.time(who.expires()));
    }

    /** Sends a reply. When it is written, reads the next message or disconnects. */
    private void send(ObjectNode reply, @Nullable Ending then) {
        if (then != null) {
            end(then.code, then.reason);
        }
        session().sendText(new String(JsonText.bytes(reply), UTF_8), Callback.from(this::next, failure -> next()));
    }

    private void next() {
        heard = all.time().nanoTime();
        synchronized (this) {
            inProgress = false;
            if (ending != null) {
                disconnect(ending);
            }
        }
        Session open = session();
        if (open.isOpen()) {
            open.demand();
        }
    }

    /** Closes the connection, after the reply to a message in progress. */
    void end(int code, String reason) {
        synchronized (this) {
            if (ending == null) {
                ending = new Ending(code, reason);
            }
            if (!inProgress) {
                disconnect(ending);
            }
        }
    }

    private void disconnect(Ending how) {
        if (!ended) {
            ended = true;
            endedAt = all.time().nanoTime();
            session().close(how.code, how.reason, Callback.NOOP);
        }
    }

    /** Called every second. Pings a silent client, and closes the connection if it times out or the token expires. */
    void check(Instant now, long nanos) {
        Known who = known;
        boolean idle;
        synchronized (this) {
            if (session == null) {
                if (isOver(opened, SILENCE_TIMEOUT, nanos)) {
                    all.closed(this);
                }
                return;
            }
            if (ended && isOver(endedAt, CLOSE_TIMEOUT, nanos)) {
                session.disconnect();
            }
            idle = !inProgress && !ended;
        }
        if (!idle) {
            return;
        }
        if (who == null && isOver(opened, SIGN_IN_TIMEOUT, nanos)) {
            end(StatusCode.POLICY_VIOLATION, "unauthorized");
        } else if (who != null && !now.isBefore(who.expires())) {
            end(StatusCode.POLICY_VIOLATION, "token_expired");
        } else if (isOver(heard, SILENCE_TIMEOUT, nanos)) {
            end(StatusCode.SHUTDOWN, "silent");
        } else if (isOver(Math.max(heard, pinged), PING_AFTER, nanos)) {
            pinged = nanos;
            session().sendPing(ByteBuffer.allocate(0), Callback.NOOP);
        }
    }

    private static boolean isOver(long since, Duration time, long nanos) {
        return nanos - since >= time.toNanos();
    }

    private Session session() {
        return Objects.requireNonNull(session);
    }
}
