package dev.semel.http;

import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import dev.semel.once.Call;
import dev.semel.once.Lease;
import dev.semel.once.Once;
import dev.semel.store.OnceKey;
import dev.semel.store.Transaction;
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
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets every request with an {@code Idempotency-Key} happen once, and answers its retries from the record.
 *
 * <p>It belongs behind whatever finds out who asks, and right in front of the servlet: where two requests change the same thing, an
 * {@linkplain Idempotency.Mode#ATOMIC atomic} one is run again, and not every container runs the filters behind this one again too.
 *
 * <p>Requests without a key that need none, and those that only read, are let through untouched. All others are held in memory: the
 * body, up to a limit, and the answer until it is recorded. A handler of such a request answers before it returns (there is no
 * {@code startAsync}) and finds the body in {@code getInputStream}, {@code getReader} or {@code getParameter}, but no parts.
 */
public final class IdempotencyFilter implements Filter {

    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    private final Parts parts;

    /** What is the same for all requests. */
    record Parts(
            Once once,
            Function<HttpServletRequest, @Nullable String> user,
            Function<HttpServletRequest, Idempotency> rules,
            FilterSettings settings,
            Tracing tracing) {}

    /**
     * @param user who asks, 1 to 255 of {@code A-Za-z0-9_-}; null if nobody knows
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

    /** The same, with somebody who follows the requests that have a key. */
    public IdempotencyFilter(
            Once once,
            Function<HttpServletRequest, @Nullable String> user,
            Function<HttpServletRequest, Idempotency> rules,
            FilterSettings settings,
            Tracing tracing) {
        this.parts = new Parts(
                Objects.requireNonNull(once, "once"),
                Objects.requireNonNull(user, "user"),
                Objects.requireNonNull(rules, "rules"),
                Objects.requireNonNull(settings, "settings"),
                Objects.requireNonNull(tracing, "tracing"));
    }

    /**
     * What the handler of an atomic request with a key reads and writes with. It is committed together with the key and the answer;
     * if others were quicker, the handler is called again, with another.
     *
     * @throws IllegalStateException if the request has no key, or its route is not atomic
     */
    public static Transaction transaction(ServletRequest request) {
        return transactionIfAny(request)
                .orElseThrow(() ->
                        new IllegalStateException("Only an atomic request with a key has a transaction of its own"));
    }

    /** The transaction of an atomic request with a key; empty for others, whose handlers begin one themselves. */
    public static Optional<Transaction> transactionIfAny(ServletRequest request) {
        Run run = Run.of(request);
        return run == null ? Optional.empty() : Optional.ofNullable(run.transaction(request));
    }

    /** The lease of a leased request with a key, whose fence may be handed to other systems; empty for others. */
    public static Optional<Lease> lease(ServletRequest request) {
        Run run = Run.of(request);
        return run == null ? Optional.empty() : Optional.ofNullable(run.lease());
    }

    /** What the client calls the transaction, or what it was called where the client did not say; empty if the request has no key. */
    public static Optional<String> clientTxId(ServletRequest request) {
        Run run = Run.of(request);
        return run == null ? Optional.empty() : Optional.of(run.clientTxId());
    }

    /**
     * Says that the answer is not final: the request could not be understood, or the answer holds for the moment only. It is given to
     * the caller, nothing that was written in the request's transaction stays, and a retry runs again. Without a key, does nothing.
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
                && !READING.contains(http.getMethod())
                && Run.of(request) == null; // which is there when a handler forwards to another
        if (mayChange) {
            filter((HttpServletRequest) request, (HttpServletResponse) response, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Idempotency rule = parts.rules.apply(request);
        Exchange exchange;
        try {
            exchange = rule.mode() == Idempotency.Mode.NONE ? null : exchange(rule, request, response, chain);
        } catch (RefusedException e) {
            refuse(e.problem(), request, response);
            return;
        }
        if (exchange == null) {
            chain.doFilter(request, response);
        } else {
            exchange.answer();
        }
    }

    private static void refuse(Problem problem, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (problem.status() == HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE) {
            problem.sendUnread(request, response);
            return;
        }
        if (problem.status() == HttpServletResponse.SC_UNAUTHORIZED) {
            response.setHeader("WWW-Authenticate", "Bearer");
        }
        problem.send(response);
    }

    /** Null if the request has no key and needs none. */
    private @Nullable Exchange exchange(
            Idempotency rule, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws RefusedException {
        boolean isKeyed = rule.keyRequired()
                || rule.clientTxIdRequired()
                || request.getHeader(KeyHeaders.IDEMPOTENCY_KEY) != null;
        if (!isKeyed) {
            return null;
        }
        String user = parts.user.apply(request);
        if (!TextFormat.TEXT.isValid(user)) {
            throw new RefusedException(EdgeProblem.UNAUTHENTICATED);
        }
        KeyHeaders headers = KeyHeaders.of(request, rule);
        if (headers.key() == null) {
            return null;
        }
        OnceKey key = key(user, request, headers.key());
        byte[] body = Payload.read(request, parts.settings.requestLimit());
        String clientTxId = headers.clientTxId() == null ? IdSchemes.TID62.mint() : headers.clientTxId();
        Call call = new Call(key, Payload.fingerprint(request, body), clientTxId, KeyHeaders.patience(request));
        return new Exchange(parts, rule, call, body, request, response, chain);
    }

    private static OnceKey key(String user, HttpServletRequest request, String key) throws RefusedException {
        try {
            return new OnceKey(user, request.getMethod() + " " + PathText.normal(request.getRequestURI()), key);
        } catch (MalformedException e) {
            throw new RefusedException(EdgeProblem.INVALID_PATH);
        }
    }
}
