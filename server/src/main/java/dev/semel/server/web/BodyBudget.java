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
 * Lets bodies in only as long as there is room for them: in memory, so that many large ones at once make their senders wait and not
 * the server fall; and among the threads, so that those that are waited for leave some for everything else, and one user's leave some
 * for everybody else's. Small ones that came with the head of their request, as most do, are not counted.
 */
public final class BodyBudget extends HttpFilter {

    private static final long serialVersionUID = 1L;
    private static final int UNIT = 4 << 10;

    /** How many threads may wait for bodies, of the 200 that there are. */
    private static final int MOST_AWAITED = 100;

    /** How many of these for bodies of one user. */
    private static final int MOST_AWAITED_OF_USER = 75;

    private final transient Semaphore units;
    private final transient Semaphore awaited = new Semaphore(MOST_AWAITED);
    private final transient Map<String, Share> shares = new ConcurrentHashMap<>();
    private final transient Duration maxWait;

    /** What one user may have of the threads; it is there as long as somebody uses it. */
    private static final class Share {

        private final Semaphore awaited = new Semaphore(MOST_AWAITED_OF_USER);
        private int uses;
    }

    /**
     * Room of a size.
     *
     * @param bytes how much bodies may have together; there is always room for one
     * @param maxWait how long one waits for room, and a thread with it
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
                () -> reject("There are too many large requests at once; nothing was done", response));
        if (!isUnknown && request.getInputStream().available() >= length) {
            large.enter();
            return;
        }
        Entrance tooSlow = () -> reject("There are too many slow requests at once; nothing was done", response);
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

    /** What a request comes to. */
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

    /** The rest of the body is not waited for, since this is to keep the thread free: whoever still sends is cut off. */
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
