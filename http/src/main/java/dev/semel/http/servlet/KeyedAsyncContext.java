package dev.semel.http.servlet;

import dev.semel.once.Lease;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The asynchronous context that a handler gets. It completes the container's context when the response is recorded and sent. */
final class KeyedAsyncContext implements AsyncContext {

    private static final System.Logger LOG = System.getLogger(IdempotencyFilter.class.getName());

    private static final long LEASE_CHECK_MILLIS = 1_000;

    private final AsyncRun run;
    private final AsyncContext container;
    private final ServletRequest request;
    private final ServletResponse response;
    private final boolean areOriginal;
    private final List<Registered> listeners = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private final CompletableFuture<Boolean> sent = new CompletableFuture<>();
    private final long startedAt = System.nanoTime();
    private State state = State.WAITING; // guarded by this
    private @Nullable Runnable pending; // a dispatch that the container has not accepted; guarded by this

    private enum State {
        WAITING,
        /** The handler has called {@code dispatch()}. */
        DISPATCHED,
        /** The dispatch is in progress. */
        BEGUN,
        /** The dispatch has not begun in time, and must not run any more. */
        LOST,
        /** The handler has called {@code complete()}. */
        COMPLETING
    }

    private record Registered(
            AsyncListener listener,
            @Nullable ServletRequest request,
            @Nullable ServletResponse response) {}

    interface Event {
        void fire(AsyncListener listener, AsyncEvent event) throws IOException;
    }

    KeyedAsyncContext(
            AsyncRun run,
            AsyncContext container,
            ServletRequest request,
            ServletResponse response,
            boolean areOriginal) {
        this.run = run;
        this.container = container;
        this.request = request;
        this.response = response;
        this.areOriginal = areOriginal;
    }

    /** Notifies the listeners of the handler. */
    void fire(Event event, AsyncContext context, @Nullable Throwable cause) {
        for (Registered registered : listeners) {
            try {
                event.fire(
                        registered.listener, new AsyncEvent(context, registered.request, registered.response, cause));
            } catch (IOException | RuntimeException e) {
                LOG.log(Level.WARNING, "Listener of an asynchronous request failed", e);
            }
        }
    }

    /** Returns whether neither {@code dispatch()} nor {@code complete()} was called. */
    synchronized boolean isWaiting() {
        return state == State.WAITING;
    }

    synchronized boolean isCompleting() {
        return state == State.COMPLETING;
    }

    private synchronized void leave(State next, @Nullable Runnable dispatch) {
        if (state != State.WAITING || run.hasEnded()) {
            throw new IllegalStateException(
                    "The asynchronous request was dispatched or completed before, or has timed out");
        }
        state = next;
        pending = dispatch;
        run.leaveCycle();
    }

    private synchronized void waitAgain() {
        state = State.WAITING;
        pending = null;
    }

    /**
     * Called when the dispatch of this cycle begins.
     *
     * @return whether it may run
     */
    synchronized boolean begin() {
        if (state == State.DISPATCHED) {
            state = State.BEGUN;
        }
        return state != State.LOST;
    }

    /**
     * Called when the dispatch of this cycle should have begun.
     *
     * @return whether it has not, and will not run
     */
    synchronized boolean lose() {
        if (state != State.DISPATCHED) {
            return false;
        }
        state = State.LOST;
        return true;
    }

    /**
     * Called when the run has ended.
     *
     * @param isSent whether the response was sent, so that the container's context has to be completed; otherwise the container responds
     */
    void ended(boolean isSent) {
        sent.complete(isSent);
        if (isSent) {
            completeContainer();
        }
    }

    private void completeContainer() {
        try {
            container.complete();
        } catch (IllegalStateException e) {
            LOG.log(Level.DEBUG, "The container has completed the request before", e);
        }
    }

    /**
     * Called by the thread that reports a disconnect. Waits until the handler completes or dispatches the request, at most until its
     * time-out, and while its lease is held.
     */
    void awaitHandler(Lease lease) {
        long timeout = container.getTimeout();
        long waited = 0;
        boolean interrupted = false;
        while (!left.isDone() && !interrupted && lease.isHeld() && (timeout <= 0 || waited < timeout)) {
            long most = timeout <= 0 ? LEASE_CHECK_MILLIS : Math.min(timeout - waited, LEASE_CHECK_MILLIS);
            try {
                left.get(most, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedAt);
            } catch (InterruptedException e) {
                interrupted = true; // the container stops
            } catch (ExecutionException e) {
                throw new AssertionError("It does not fail", e);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until a completion that has begun has ended. Some containers accept it only on the thread that has noticed a time-out. */
    void awaitCompletion() {
        if (sent.join()) {
            completeContainer();
        }
    }

    @Override
    public void complete() {
        leave(State.COMPLETING, null);
        left.complete(null);
        if (!run.isDispatching()) {
            run.completeLater();
        }
    }

    /**
     * Dispatches the request. If its client has disconnected, the container accepts a dispatch only from the thread on which it reports
     * this, so the dispatch is left to that thread.
     */
    private void dispatch(Runnable dispatch) {
        leave(State.DISPATCHED, dispatch);
        IllegalStateException rejected = run.leavesDispatch() ? null : runPending();
        if (rejected != null && !run.leavesDispatch()) {
            waitAgain();
            throw rejected;
        }
        left.complete(null);
        run.expectDispatch(this);
    }

    /**
     * Runs the dispatch that the handler has asked for, unless the container has accepted it before.
     *
     * @return the container's exception if it rejects the dispatch, which then remains to be run; otherwise null
     */
    @Nullable IllegalStateException runPending() {
        Runnable dispatch;
        synchronized (this) {
            dispatch = pending;
            pending = null;
        }
        if (dispatch == null) {
            return null;
        }
        try {
            run.awaitDispatch();
            dispatch.run();
        } catch (IllegalStateException e) {
            run.rejectDispatch();
            synchronized (this) {
                pending = dispatch;
            }
            return e;
        }
        run.expectDispatch(this);
        return null;
    }

    @Override
    public void dispatch() {
        dispatch(container::dispatch);
    }

    @Override
    public void dispatch(String path) {
        dispatch(() -> container.dispatch(path));
    }

    @Override
    public void dispatch(ServletContext context, String path) {
        dispatch(() -> container.dispatch(context, path));
    }

    @Override
    public ServletRequest getRequest() {
        return request;
    }

    @Override
    public ServletResponse getResponse() {
        return response;
    }

    @Override
    public boolean hasOriginalRequestAndResponse() {
        return areOriginal;
    }

    @Override
    public void start(Runnable task) {
        container.start(task);
    }

    @Override
    public void addListener(AsyncListener listener) {
        listeners.add(new Registered(listener, null, null));
    }

    @Override
    public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
        listeners.add(new Registered(listener, request, response));
    }

    @Override
    public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
        return container.createListener(type);
    }

    @Override
    public void setTimeout(long millis) {
        container.setTimeout(millis);
    }

    @Override
    public long getTimeout() {
        return container.getTimeout();
    }
}
