package dev.semel.server.web;

import dev.semel.http.Problem;
import dev.semel.http.servlet.ProblemSender;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Limits the resources that request bodies take. Bodies in memory share a budget of bytes: when it is exhausted, requests wait briefly, and
 * are then rejected with 503. The number of threads that wait for the rest of a body is limited, in total and per user, so slow senders
 * cannot block other requests. A body that arrived together with its head does not count against the limit of threads.
 */
public final class BodyBudget extends HttpFilter {

    private static final long serialVersionUID = 1L;
    private static final int UNIT = 4 << 10;

    /** The maximum number of the server's 200 threads that may wait for bodies. */
    private static final int MOST_AWAITED = 100;

    /** The maximum number of these threads that may wait for bodies of one user. */
    private static final int MOST_AWAITED_OF_USER = 75;

    private final transient Semaphore units;
    private final transient Semaphore awaited = new Semaphore(MOST_AWAITED);
    private final transient Map<String, Share> shares = new ConcurrentHashMap<>();
    private final transient Duration maxWait;

    /** The threads that wait for bodies of one user. It exists only while requests of the user are in progress. */
    private static final class Share {

        private final Semaphore awaited = new Semaphore(MOST_AWAITED_OF_USER);
        private int uses;
    }

    /**
     * Creates a filter with a budget.
     *
     * @param bytes the maximum size of all bodies together; at least one body of the maximum size is always allowed
     * @param maxWait how long a request waits for the budget, which also holds its thread
     */
    public BodyBudget(long bytes, Duration maxWait) {
        this.units = new Semaphore((int) Math.min(Math.max(bytes, Api.MOST_BYTES) / UNIT, Integer.MAX_VALUE));
        this.maxWait = maxWait;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        long length = request.getContentLengthLong();
        boolean isUnknown = length < 0 && request.getHeader("Transfer-Encoding") != null;
        if (length <= 0 && !isUnknown) {
            chain.doFilter(request, response);
            return;
        }
        int needed = (int) ((isUnknown ? Api.MOST_BYTES : Math.min(length, Api.MOST_BYTES)) / UNIT);
        Entrance large = () -> within(
                units,
                needed,
                () -> chain.doFilter(request, response),
                () -> reject("Too many large requests are in progress; nothing was executed", response));
        if (!isUnknown && request.getInputStream().available() >= length) {
            large.enter();
            return;
        }
        Entrance tooSlow = () -> reject("Too many slow requests are in progress; nothing was executed", response);
        Caller caller = Caller.of(request);
        String user = caller == null ? "" : caller.user();
        Share share = shares.compute(user, (any, known) -> {
            Share mine = known == null ? new Share() : known;
            mine.uses++;
            return mine;
        });
        try {
            within(share.awaited, 1, () -> within(awaited, 1, large, tooSlow), tooSlow);
        } finally {
            shares.compute(user, (any, mine) -> mine == null || --mine.uses == 0 ? null : mine);
        }
    }

    /** The continuation of a request. */
    private interface Entrance {
        void enter() throws IOException, ServletException;
    }

    private void within(Semaphore budget, int needed, Entrance inside, Entrance outside)
            throws IOException, ServletException {
        if (!isTaken(budget, needed)) {
            outside.enter();
            return;
        }
        try {
            inside.enter();
        } finally {
            budget.release(needed);
        }
    }

    /** Closes the connection without reading the rest of the body, because reading it would hold the thread. */
    private static void reject(String detail, HttpServletResponse response) throws IOException {
        response.setHeader("Connection", "close");
        Problem problem = Problem.of(503, "busy", "Too busy").detailed(detail).with(Problem.RETRY_AFTER, 1000);
        ProblemSender.send(problem, response);
    }

    private boolean isTaken(Semaphore budget, int needed) {
        try {
            return needed == 0 || budget.tryAcquire(needed, maxWait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
