package dev.semel.http.servlet;

import dev.semel.document.Transaction;
import dev.semel.http.Exchange;
import dev.semel.http.FilterSettings;
import dev.semel.http.HttpOnce;
import dev.semel.http.Idempotency;
import dev.semel.http.IdempotencyProblem;
import dev.semel.http.Problem;
import dev.semel.http.RejectedException;
import dev.semel.http.Tracing;
import dev.semel.once.Lease;
import dev.semel.once.Once;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs each request with an {@code Idempotency-Key} once. A retry gets the recorded response.
 *
 * <p>Register this filter behind the one that authenticates the user, and as the last one in front of the servlet: after a write conflict
 * an {@linkplain Idempotency.Mode#ATOMIC atomic} request runs again, and not every container runs the filters behind this one again.
 *
 * <p>Every response to a request with a key repeats its {@code X-Client-Tx-Id}, if there is one and it is well-formed. By it, clients
 * distinguish the responses of the application from those of others, such as a captive portal.
 *
 * <p>Requests with a safe method, and requests without a key on routes that require none, are passed on unchanged. For all others, the
 * body and the response are buffered in memory, up to the limits in {@link FilterSettings}. The handler reads the body as it does without
 * a key: as a stream, as parameters or as parts.
 *
 * <p>The handler of a leased request may complete it asynchronously. Register this filter with {@code asyncSupported} and for the dispatcher
 * types {@code REQUEST}, {@code FORWARD} and {@code ASYNC}, as {@link #register} does. The handler of an atomic request must complete it before it returns.
 */
public final class IdempotencyFilter implements Filter {

    private static final String SEEN = IdempotencyFilter.class.getName() + ".seen";

    private static final Set<String> UNREADABLE =
            Set.of(IdempotencyProblem.UNREADABLE_BODY.code(), IdempotencyProblem.SLOW_BODY.code());

    private final Once engine;
    private final HttpOnce once;
    private final Function<HttpServletRequest, @Nullable String> user;
    private final Function<HttpServletRequest, Idempotency> rules;
    private volatile @Nullable Registrations registrations;

    /**
     * Creates a filter with the default limits.
     *
     * @param user returns the user who sends a request, {@linkplain dev.semel.store.IdempotencyKey#isUser a valid user name}; null if the
     *     user is unknown
     * @param rules returns the rule for the method and path of a request
     */
    public IdempotencyFilter(
            Once once,
            Function<HttpServletRequest, @Nullable String> user,
            Function<HttpServletRequest, Idempotency> rules) {
        this(once, user, rules, FilterSettings.DEFAULTS);
    }

    /** Creates a filter with the given limits. */
    public IdempotencyFilter(
            Once once,
            Function<HttpServletRequest, @Nullable String> user,
            Function<HttpServletRequest, Idempotency> rules,
            FilterSettings settings) {
        this(once, user, rules, settings, Tracing.NONE);
    }

    /** Creates a filter that traces requests with a key. */
    public IdempotencyFilter(
            Once once,
            Function<HttpServletRequest, @Nullable String> user,
            Function<HttpServletRequest, Idempotency> rules,
            FilterSettings settings,
            Tracing tracing) {
        this.engine = once;
        this.once = new HttpOnce(once, settings, tracing);
        this.user = Objects.requireNonNull(user, "user");
        this.rules = Objects.requireNonNull(rules, "rules");
    }

    /**
     * Returns the transaction of an atomic request with a key. It is committed together with the key and the response. After a write
     * conflict the handler is called again with another transaction.
     *
     * @throws IllegalStateException if the request has no key, or its route is not atomic
     */
    public static Transaction transaction(ServletRequest request) {
        return transactionIfAny(request)
                .orElseThrow(() -> new IllegalStateException(
                        "The request has no transaction: it has no key, or its route is not atomic"));
    }

    /** Returns the transaction of an atomic request with a key. Empty for other requests, whose handlers start a transaction themselves. */
    public static Optional<Transaction> transactionIfAny(ServletRequest request) {
        Run run = Run.of(request);
        return run == null ? Optional.empty() : Optional.ofNullable(run.transaction(request));
    }

    /** Returns the lease of a leased request with a key. Its fencing token can be passed to other systems. Empty for other requests. */
    public static Optional<Lease> lease(ServletRequest request) {
        Run run = Run.of(request);
        return run == null ? Optional.empty() : Optional.ofNullable(run.lease());
    }

    /** Returns the client's transaction id, or the generated one if the client sent none. Empty if the request has no key. */
    public static Optional<String> clientTxId(ServletRequest request) {
        Run run = Run.of(request);
        return run == null ? Optional.empty() : Optional.of(run.clientTxId());
    }

    /**
     * Marks the response as not final, such as for a request that could not be parsed. The response is sent and not recorded, writes in
     * the request's transaction are discarded, and a retry runs the handler again. Does nothing if the request has no key.
     */
    public static void doNotRecord(ServletRequest request) {
        Run run = Run.of(request);
        if (run != null) {
            run.doNotRecord();
        }
    }

    /**
     * Reports that the handler of a leased request does not know whether it had its effect, such as when another system did not respond in
     * time. Under {@link dev.semel.store.IfAbandoned#FREEZE} the outcome is unknown, whatever the handler responds. Under {@link
     * dev.semel.store.IfAbandoned#RERUN} the request has failed, and a retry runs the handler again. An exception handler can call this, too:
     * then the error response that it makes does not count as a failure without an effect. Does nothing if the request has no key.
     */
    public static void outcomeUnknown(ServletRequest request) {
        Run run = Run.of(request);
        if (run != null) {
            run.outcomeUnknown();
        }
    }

    /**
     * Registers this filter with a web application that is starting, behind the filters that are declared, for requests, forwards and
     * asynchronous dispatches.
     *
     * @throws IllegalStateException if the application has a filter of this name, or has started
     */
    public FilterRegistration.Dynamic register(ServletContext context, String name, String... urlPatterns) {
        FilterRegistration.Dynamic registration = context.addFilter(name, this);
        if (registration == null) {
            throw new IllegalStateException("The application has a filter of the name " + name + ": use another one");
        }
        registration.setAsyncSupported(true);
        registration.addMappingForUrlPatterns(
                EnumSet.of(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC), true, urlPatterns);
        return registration;
    }

    /** @throws ServletException if another idempotency filter has a different store and matches the same requests */
    @Override
    public void init(FilterConfig config) throws ServletException {
        Registrations joined = Registrations.of(config.getServletContext());
        joined.add(config, engine);
        registrations = joined;
    }

    @Override
    public void destroy() {
        Registrations joined = registrations;
        if (joined != null) {
            joined.remove(engine);
        }
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Run run = Run.of(request);
        if (run != null) {
            continueRun(run, request, response, chain);
        } else if (request instanceof HttpServletRequest http
                && !HttpOnce.isSafe(http.getMethod())
                && http.getDispatcherType() != DispatcherType.ERROR
                && isRequest(http)) {
            filter(http, (HttpServletResponse) response, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    /** What this filter has decided for the first dispatch of a request. */
    private static final class Seen {

        static final Seen UNKEYED = new Seen(null, null);

        private final @Nullable String keyedPath;
        private final byte @Nullable [] body;

        Seen(@Nullable String keyedPath, byte @Nullable [] body) {
            this.keyedPath = keyedPath;
            this.body = body;
        }
    }

    /** Returns what each filter has decided for a request. */
    @SuppressWarnings("unchecked") // only this class sets it
    private static Map<IdempotencyFilter, Seen> seen(ServletRequest request) {
        Map<IdempotencyFilter, Seen> seen = (Map<IdempotencyFilter, Seen>) request.getAttribute(SEEN);
        if (seen == null) {
            seen = new HashMap<>();
            request.setAttribute(SEEN, seen);
        }
        return seen;
    }

    /**
     * Returns whether a dispatch has to be handled as a request. The first one has, of any type: a filter in front may have suspended or
     * forwarded the request before. So has a later one to the path of a request with a key whose run has ended, since it would run the
     * handler again. All others belong to the decision for the first one.
     */
    private boolean isRequest(HttpServletRequest request) {
        Seen before = seen(request).putIfAbsent(this, Seen.UNKEYED);
        return before == null
                || request.getDispatcherType() == DispatcherType.REQUEST
                || request.getRequestURI().equals(before.keyedPath);
    }

    /** Passes on a forward or an include from the handler, and ends its run after an asynchronous dispatch. */
    private static void continueRun(Run run, ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        AsyncRun async = run.async();
        if (async != null && request.getDispatcherType() == DispatcherType.ASYNC && !async.isDispatching()) {
            async.dispatch(request, response, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Idempotency rule = rules.apply(request);
        Map<IdempotencyFilter, Seen> seen = seen(request);
        ServletRequestView view = new ServletRequestView(request, Objects.requireNonNull(seen.get(this)).body);
        String clientTxId =
                rule.mode() == Idempotency.Mode.NONE ? null : HttpOnce.repeatedClientTxId(view.method(), view::headers);
        if (clientTxId != null) {
            response.setHeader(HttpOnce.CLIENT_TX_ID_HEADER, clientTxId);
        }
        Exchange exchange;
        try {
            exchange = once.begin(view, rule, () -> user.apply(request));
        } catch (RejectedException e) {
            seen.put(this, new Seen(view.path(), null));
            reject(e.problem(), request, response);
            return;
        }
        if (exchange == null) {
            chain.doFilter(request, response);
            return;
        }
        seen.put(this, new Seen(view.path(), exchange.body()));
        FilterChainAdapter adapter = new FilterChainAdapter(exchange, once.settings(), request, response, chain);
        try {
            exchange.run(adapter);
            adapter.rethrow();
        } catch (Exception e) {
            AsyncRun.rethrow(e);
        }
    }

    private static void reject(Problem problem, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (problem.status() == HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE) {
            ProblemSender.sendUnread(problem, request, response);
            return;
        }
        if (UNREADABLE.contains(problem.code())) {
            Tomcat.resume(request, response);
            response.setHeader("Connection", "close"); // the next request could not be found
        }
        if (problem.status() == HttpServletResponse.SC_UNAUTHORIZED) {
            response.setHeader("WWW-Authenticate", "Bearer");
        }
        ProblemSender.send(problem, response);
    }
}
