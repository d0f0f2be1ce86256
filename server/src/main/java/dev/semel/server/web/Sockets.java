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
 * All WebSockets: lets those in who ask for one where there is one, looks after them, and hangs up when the server stops. Messages
 * are done by threads of their own, so that however long they take, requests find theirs.
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
    private final transient CompletableFuture<Void> allGone = new CompletableFuture<>();
    private final transient ThreadPoolExecutor threads =
            new ThreadPoolExecutor(THREADS, THREADS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread thread = new Thread(task, "semel-socket");
                thread.setDaemon(true);
                return thread;
            });
    private boolean checkScheduled; // guarded by this
    private volatile boolean stopping;

    /**
     * How many there may be of what.
     *
     * @param sockets open ones
     * @param socketsOfUser those of one user
     * @param messagesPerSecond on one of them; 0 for as many as they like
     */
    public record Limits(int sockets, int socketsOfUser, int messagesPerSecond) {

        /** Enough for everybody who plays. */
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
                    .detailed("There are as many WebSockets as there may be")
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
                                upgradeResponse.setExtensions(List.of()); // what is compressed may grow without measure
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
                    .detailed("This is no request for a WebSocket of version 13"));
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
     * Checks that a user may open another.
     *
     * @throws ProblemException if they have as many as they may
     */
    void admit(String user) {
        long theirs = open.stream().filter(socket -> user.equals(socket.user())).count();
        if (theirs >= limits.socketsOfUser) {
            throw new ProblemException(Problem.of(429, "too_many_connections", "Too many connections")
                    .detailed("A user may have " + limits.socketsOfUser + " WebSockets at once")
                    .with(Problem.RETRY_AFTER, CHECK_INTERVAL.toMillis()));
        }
    }

    /** Forgets one. */
    void closed(Socket socket) {
        open.remove(socket);
        if (stopping && open.isEmpty()) {
            allGone.complete(null);
        }
    }

    /** Runs a task soon; returns whether it will. */
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

    /** How many there are. */
    public int count() {
        return open.size();
    }

    /** Accepts no more, completes the messages in progress, and disconnects; done when all are closed. */
    public CompletableFuture<Void> stop() {
        stopping = true;
        open.forEach(socket -> socket.end(StatusCode.SHUTDOWN, "stopping"));
        if (open.isEmpty()) {
            allGone.complete(null);
        }
        return allGone;
    }

    @Override
    public void destroy() {
        threads.shutdown();
    }
}
