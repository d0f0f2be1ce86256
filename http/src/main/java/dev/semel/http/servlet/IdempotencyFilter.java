package dev.semel.http.servlet;

import dev.semel.document.Transaction;
import dev.semel.http.Exchange;
import dev.semel.http.FilterSettings;
import dev.semel.http.HttpOnce;
import dev.semel.http.Idempotency;
import dev.semel.http.Problem;
import dev.semel.http.RejectedException;
import dev.semel.http.Tracing;
import dev.semel.once.Lease;
import dev.semel.once.Once;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs every request with an {@code Idempotency-Key} once: a retry gets the recorded response.
 *
 * <p>It belongs behind the filter that authenticates the user, and directly in front of the servlet: after a write conflict an
 * {@linkplain Idempotency.Mode#ATOMIC atomic} request is run again, and not every container runs the filters behind this one again.
 *
 * <p>Requests without a key that need none, and those that only read, are passed on unchanged. All others are held in memory: the
 * body, up to a limit, and the response until it is recorded. The handler of such a request completes it before it returns (there is no
 * {@code startAsync}) and finds the body in {@code getInputStream}, {@code getReader} or {@code getParameter}, but no parts.
 */
public final class IdempotencyFilter implements Filter {

    private final HttpOnce once;
    private final Function<HttpServletRequest, @Nullable String> user;
    private final Function<HttpServletRequest, Idempotency> rules;

    /**
     * @param user who sends a request, 1 to 255 of {@code A-Za-z0-9_-}; null if unknown
     * @param rules what holds for a request, by its method and path
     */
    public IdempotencyFilter(
            Once once,
            Function<HttpServletRequest, @Nullable String> user,
            Function<HttpServletRequest, Idempotency> rules) {
        this(once, user, rules, FilterSettings.DEFAULTS);
    }

    /** The same, with other limits. */
    public IdempotencyFilter(
            Once once,
            Function<HttpServletRequest, @Nullable String> user,
            Function<HttpServletRequest, Idempotency> rules,
            FilterSettings settings) {
        this(once, user, rules, settings, Tracing.NONE);
    }

    /** The same, with a tracer for the requests that have a key. */
    public IdempotencyFilter(
            Once once,
            Function<HttpServletRequest, @Nullable String> user,
            Function<HttpServletRequest, Idempotency> rules,
            FilterSettings settings,
            Tracing tracing) {
        this.once = new HttpOnce(once, settings, tracing);
        this.user = Objects.requireNonNull(user, "user");
        this.rules = Objects.requireNonNull(rules, "rules");
    }

    /**
     * The transaction of an atomic request with a key. It is committed together with the key and the response; after a write conflict the
     * handler is called again, with another.
     *
     * @throws IllegalStateException if the request has no key, or its route is not atomic
     */
    public static Transaction transaction(ServletRequest request) {
        return transactionIfAny(request)
                .orElseThrow(() -> new IllegalStateException("Only an atomic request with a key has a transaction"));
    }

    /** The transaction of an atomic request with a key; empty for others, whose handlers start one themselves. */
    public static Optional<Transaction> transactionIfAny(ServletRequest request) {
        Run run = Run.of(request);
        return run == null ? Optional.empty() : Optional.ofNullable(run.transaction(request));
    }

    /** The lease of a leased request with a key, whose fencing token may be handed to other systems; empty for others. */
    public static Optional<Lease> lease(ServletRequest request) {
        Run run = Run.of(request);
        return run == null ? Optional.empty() : Optional.ofNullable(run.lease());
    }

    /** The client's transaction id, or the one made for a client that sent none; empty if the request has no key. */
    public static Optional<String> clientTxId(ServletRequest request) {
        Run run = Run.of(request);
        return run == null ? Optional.empty() : Optional.of(run.clientTxId());
    }

    /**
     * Marks the response as not final: the request could not be read, or the response holds for the moment only. It is sent, but
     * nothing that was written in the request's transaction stays, and a retry runs the handler again. Without a key, does nothing.
     */
    public static void doNotRecord(ServletRequest request) {
        Run run = Run.of(request);
        if (run != null) {
            run.doNotRecord();
        }
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        boolean mayChange = request instanceof HttpServletRequest http
                && !HttpOnce.isSafe(http.getMethod())
                && Run.of(request) == null; // there is one if a handler forwards to another
        if (mayChange) {
            filter((HttpServletRequest) request, (HttpServletResponse) response, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Exchange exchange;
        try {
            exchange = once.begin(new ServletRequestView(request), rules.apply(request), () -> user.apply(request));
        } catch (RejectedException e) {
            reject(e.problem(), request, response);
            return;
        }
        if (exchange == null) {
            chain.doFilter(request, response);
            return;
        }
        try {
            exchange.run(new FilterChainAdapter(exchange, once.settings(), request, response, chain));
        } catch (IOException | ServletException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }

    private static void reject(Problem problem, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (problem.status() == HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE) {
            ProblemSender.sendUnread(problem, request, response);
            return;
        }
        if (problem.status() == HttpServletResponse.SC_UNAUTHORIZED) {
            response.setHeader("WWW-Authenticate", "Bearer");
        }
        ProblemSender.send(problem, response);
    }
}
