package dev.semel.server.web;

import dev.semel.document.Transactions.WriteConflictException;
import dev.semel.http.IdempotencyProblem;
import dev.semel.http.Problem;
import dev.semel.id.TextFormat;
import dev.semel.server.web.Handler.ConflictPolicy;
import dev.semel.store.StoreException;
import dev.semel.store.internal.UniqueIds;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;

/**
 * The outermost filter. Gives each request an id, which is in its response and log entries, logs the request, and turns exceptions into
 * problems.
 */
public final class ErrorFilter extends HttpFilter {

    private static final long serialVersionUID = 1L;

    /** The header with the request id, in requests and responses. */
    public static final String REQUEST_ID_HEADER = "X-Request-Id";

    private static final String REQUEST_ID_MEMBER = "request";
    private static final int LONGEST_ID = 64;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(ErrorFilter.class);

    private final transient UniqueIds ids;

    /** @param ids mints the ids of requests */
    public ErrorFilter(UniqueIds ids) {
        this.ids = ids;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException {
        long startedAt = System.nanoTime();
        String id = id(request.getHeader(REQUEST_ID_HEADER));
        MDC.put(REQUEST_ID_MEMBER, id);
        try {
            response.setHeader(REQUEST_ID_HEADER, id);
            pass(request, response, chain, id);
            log(request, response, startedAt);
        } finally {
            MDC.remove(OutcomeLog.MEMBER);
            MDC.remove(REQUEST_ID_MEMBER);
        }
    }

    /** Returns the client's id if it is well-formed, so that clients can find their requests in the log; otherwise a new one. */
    private String id(@Nullable String sent) {
        if (sent != null && sent.length() <= LONGEST_ID && TextFormat.TEXT.isValid(sent)) {
            return sent;
        }
        return ids.next();
    }

    private static void pass(HttpServletRequest request, HttpServletResponse response, FilterChain chain, String id)
            throws IOException {
        try {
            chain.doFilter(request, response);
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("error", e.toString()).log("The client disconnected");
        } catch (ServletException | RuntimeException | Error e) {
            boolean isWrapped = e instanceof ServletException || e instanceof UnexpectedException;
            Throwable cause = isWrapped && e.getCause() != null ? e.getCause() : e;
            Problem problem = problem(cause, conflictPolicy(request), id);
            if (!response.isCommitted()) {
                response.resetBuffer();
                ErrorPages.send(problem, request, response);
            }
        }
    }

    private static Optional<ConflictPolicy> conflictPolicy(HttpServletRequest request) {
        Routes.Match match = Routes.known(request);
        return match == null ? Optional.empty() : match.route().handler().conflictPolicy(request::getHeader);
    }

    /** Returns the response to an exception, and logs the exception. */
    static Problem problem(Throwable thrown, Optional<ConflictPolicy> policy, String id) {
        if (thrown instanceof ProblemException e) {
            return e.problem();
        }
        if (thrown instanceof WriteConflictException conflict) {
            return policy.map(own -> own.whenExhausted().apply(conflict).problem())
                    .orElseGet(() -> busy(conflict));
        }
        if (thrown instanceof StoreException) {
            LOG.atWarn()
                    .addKeyValue("error", thrown.getMessage())
                    .setCause(thrown)
                    .log("The store failed");
            return IdempotencyProblem.STORE_UNAVAILABLE.retryAfter(PAUSE);
        }
        LOG.atError().setCause(thrown).log("A request failed unexpectedly");
        return Problem.of(UnexpectedException.STATUS, "internal_error", "Internal error")
                .with("request_id", id);
    }

    private static Problem busy(WriteConflictException conflict) {
        LOG.atInfo().addKeyValue("error", conflict.getMessage()).log("Too many write conflicts");
        return Problem.of(503, "busy", "Too busy")
                .detailed("Every retry conflicted with another write; nothing was written")
                .with(Problem.RETRY_AFTER, PAUSE.toMillis());
    }

    /** A 503 is a warning: it is temporary, and often many occur in a row. */
    private static Level level(int status, String route) {
        if (status >= 500) {
            return status == HttpServletResponse.SC_SERVICE_UNAVAILABLE ? Level.WARN : Level.ERROR;
        }
        return route.startsWith("/health/") ? Level.DEBUG : Level.INFO;
    }

    /** Logs the declared route instead of the path, since paths contain ids and keys. */
    private static void log(HttpServletRequest request, HttpServletResponse response, long startedAt) {
        Routes.Match match = Routes.known(request);
        String route = match == null ? "none" : match.route().pattern();
        Level level = level(response.getStatus(), route);
        if (!LOG.isEnabledForLevel(level)) {
            return;
        }
        Caller caller = Caller.of(request);
        LOG.atLevel(level)
                .addKeyValue("method", match == null ? "other" : match.route().method())
                .addKeyValue("route", route)
                .addKeyValue("status", response.getStatus())
                .addKeyValue("micros", (System.nanoTime() - startedAt) / 1000)
                .addKeyValue("user", caller == null ? null : caller.user())
                .log("request");
    }
}
