package dev.semel.server.web;

import dev.semel.http.Problem;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Lets bodies in only as long as there is room for them: in memory, so that many large ones at once make their senders wait and not
 * the server fall; and among the threads, so that those that are waited for leave some for everybody else. Small ones that came with
 * the head of their request, as nearly all do, are not counted.
 */
public final class BodyRoom extends HttpFilter {

    private static final long serialVersionUID = 1L;
    private static final int UNIT = 4 << 10;

    /** How many threads may wait for bodies, of the 200 that there are. */
    private static final int MOST_AWAITED = 100;

    private final transient Semaphore units;
    private final transient Semaphore awaited = new Semaphore(MOST_AWAITED);
    private final transient Duration patience;

    /**
     * Room of a size.
     *
     * @param bytes how much bodies may have together; there is always room for one
     * @param patience how long one waits for room, and a thread with it
     */
    public BodyRoom(long bytes, Duration patience) {
        this.units = new Semaphore((int) Math.min(Math.max(bytes, Api.MOST_BYTES) / UNIT, Integer.MAX_VALUE));
        this.patience = patience;
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
        boolean isThere = !isUnknown && request.getInputStream().available() >= length;
        int threads = isThere ? 0 : 1;
        if (!taken(awaited, threads)) {
            refuse("There are too many slow requests at once; nothing was done", response);
            return;
        }
        try {
            if (!taken(units, needed)) {
                refuse("There are too many large requests at once; nothing was done", response);
                return;
            }
            try {
                chain.doFilter(request, response);
            } finally {
                units.release(needed);
            }
        } finally {
            awaited.release(threads);
        }
    }

    /** The rest of the body is not waited for, since this is to keep the thread free: whoever still sends is cut off. */
    private static void refuse(String detail, HttpServletResponse response) throws IOException {
        response.setHeader("Connection", "close");
        Problem.of(503, "busy", "Too busy")
                .detailed(detail)
                .with(Problem.RETRY_AFTER, 1000)
                .send(response);
    }

    private boolean taken(Semaphore room, int needed) {
        try {
            return needed == 0 || room.tryAcquire(needed, patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
