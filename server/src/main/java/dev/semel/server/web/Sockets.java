package dev.semel.server.web;

import dev.semel.http.Problem;
import dev.semel.server.web.Callers.Known;
import dev.semel.store.Time;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.websocket.server.JettyWebSocketServerContainer;
import org.eclipse.jetty.websocket.api.StatusCode;

/**
 * Accepts WebSockets and manages them until they are closed. Messages are handled in a separate thread pool, so long ones do not delay
 * requests.
 */
public final class Sockets extends HttpFilter {

    private static final long serialVersionUID = 1L;

    private static final int THREADS = 64;
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    private final transient Routes routes;
    private final transient Callers callers;
    private final transient Time time;
    private final transient Limits limits;
    private final transient Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final transient CompletableFuture<Void> allClosed = new CompletableFuture<>();
    private final transient ThreadPoolExecutor threads =
            new ThreadPoolExecutor(THREADS, THREADS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread thread = new Thread(task, "semel-socket");
                thread.setDaemon(true);
                return thread;
            });
    private boolean checkScheduled; // guarded by this
    private volatile boolean stopping;

    /**
     * Limits of WebSockets.
     *
     * @param sockets open connections
     * @param socketsOfUser open connections of one user
     * @param messagesPerSecond messages on one connection; 0 for no limit
     */
    public record Limits(int sockets, int socketsOfUser, int messagesPerSecond) {

        public static final Limits DEFAULTS = new Limits(10_000, 100, 100);
    }

    public Sockets(Routes routes, Callers callers, Time time, Limits limits) {
        this.routes = routes;
        this.callers = callers;
        this.time = time;
        this.limits = limits;
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Routes.Match match = routes.find(request).orElse(null);
        if (match == null || !(match.route().handler() instanceof WebSocketHandler handler)) {
            chain.doFilter(request, response);
        } else if ("websocket".equalsIgnoreCase(request.getHeader("Upgrade"))
                && request.getMethod().equals("GET")) {
            upgrade(handler, match.parts(), request, response);
        } else {
            response.setHeader("Upgrade", "websocket");
            chain.doFilter(request, response);
        }
    }

    private void upgrade(
            WebSocketHandler handler,
            Map<String, String> parts,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        handler.check(parts);
        String token = request.getHeader("Authorization") == null ? null : token(request, response);
        Known known = token == null ? null : known(token, response);
        if (known != null) {
            known.caller().attachTo(request);
            handler.open(known.caller().user(), parts);
            admit(known.caller().user());
        }
        if (open.size() >= limits.sockets) {
            throw new ProblemException(Problem.of(503, "busy", "Too busy")
                    .detailed("The server has reached its limit of open WebSockets")
                    .with(Problem.RETRY_AFTER, CHECK_INTERVAL.toMillis()));
        }
        String id = String.valueOf(response.getHeader(ErrorFilter.REQUEST_ID_HEADER));
        Socket socket = new Socket(this, handler, parts, id, token, known);
        open.add(socket);
        checkAll();
        boolean upgraded = false;
        try {
            upgraded = JettyWebSocketServerContainer.ensureContainer(request.getServletContext())
                    .upgrade(
                            (upgradeRequest, upgradeResponse) -> {
                                // no compression, which lets small messages expand without limit
                                upgradeResponse.setExtensions(List.of());
                                return socket;
                            },
                            request,
                            response);
        } finally {
            if (!upgraded) {
                closed(socket);
            }
        }
        if (!upgraded && !response.isCommitted()) {
            throw new ProblemException(Problem.of(400, "bad_request", "Bad request")
                    .detailed("The request is not a WebSocket upgrade of version 13"));
        }
        if (stopping) {
            socket.end(StatusCode.SHUTDOWN, "stopping");
        }
    }

    private String token(HttpServletRequest request, HttpServletResponse response) {
        try {
            return callers.token(request);
        } catch (ProblemException e) {
            response.setHeader("WWW-Authenticate", Callers.CHALLENGE);
            throw e;
        }
    }

    private Known known(String token, HttpServletResponse response) {
        try {
            return callers.byToken(token);
        } catch (ProblemException e) {
            if (e.problem().status() == HttpServletResponse.SC_UNAUTHORIZED) {
                response.setHeader("WWW-Authenticate", Callers.CHALLENGE);
            }
            throw e;
        }
    }

    Time time() {
        return time;
    }

    Callers callers() {
        return callers;
    }

    int messagesPerSecond() {
        return limits.messagesPerSecond;
    }

    /**
     * Checks that a user may open another connection.
     *
     * @throws ProblemException if the user has reached the limit
     */
    void admit(String user) {
        long theirs = open.stream().filter(socket -> user.equals(socket.user())).count();
        if (theirs >= limits.socketsOfUser) {
            throw new ProblemException(Problem.of(429, "too_many_connections", "Too many connections")
                    .detailed("A user may have " + limits.socketsOfUser + " open WebSockets")
                    .with(Problem.RETRY_AFTER, CHECK_INTERVAL.toMillis()));
        }
    }

    /** Removes a closed connection. */
    void closed(Socket socket) {
        open.remove(socket);
        if (stopping && open.isEmpty()) {
            allClosed.complete(null);
        }
    }

    /** Runs a task in the thread pool. Returns false if the pool has been shut down. */
    boolean run(Runnable task) {
        try {
            threads.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void checkAll() {
        synchronized (this) {
            if (checkScheduled || open.isEmpty()) {
                return;
            }
            checkScheduled = true;
        }
        time.after(CHECK_INTERVAL, () -> {
            synchronized (this) {
                checkScheduled = false;
            }
            open.forEach(socket -> socket.check(time.instant(), time.nanoTime()));
            checkAll();
        });
    }

    /** Returns the number of open connections. */
    public int count() {
        return open.size();
    }

    /**
     * Stops accepting connections, completes messages in progress, and closes all connections.
     *
     * @return completes when all connections are closed
     */
    public CompletableFuture<Void> stop() {
        stopping = true;
        open.forEach(socket -> socket.end(StatusCode.SHUTDOWN, "stopping"));
        if (open.isEmpty()) {
            allClosed.complete(null);
        }
        return allClosed;
    }

    @Override
    public void destroy() {
        threads.shutdown();
    }
}
