package dev.semel.http.servlet;

import dev.semel.once.Lease;
import dev.semel.once.Once.UnknownOutcomeException;
import dev.semel.store.Time;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous part of a leased run: from {@code startAsync} until the handler has completed the request, in one or several cycles.
 *
 * <p>The response must be recorded before it can reach the client, so the container must not complete the request by itself. A cycle ends
 * in one of these ways:
 *
 * <ul>
 *   <li>The handler calls {@code complete()}. {@link KeyedAsyncContext} then ends the run, which records and sends the response, and
 *       completes the container's context afterwards.
 *   <li>The handler calls {@code dispatch()}. When that dispatch returns without another cycle, the filter ends the run, and the
 *       container completes the request afterwards.
 *   <li>The client disconnects. Its response is detached, and the container's thread waits until the handler calls one of the two. Tomcat
 *       loses the dispatch if it has noticed the disconnect before the previous one returned. Then the outcome is unknown.
 *   <li>The container ends the request, after a time-out or an error. The handler may still be at work, so the outcome is unknown.
 *   <li>The container completes the request, and the run has not ended: it was dispatched past the filter. The outcome is unknown, too.
 * </ul>
 */
final class AsyncRun {

    private static final System.Logger LOG = System.getLogger(IdempotencyFilter.class.getName());

    /** How long a container may take to report a disconnect after a failed write, for which it needs a free thread. */
    private static final Duration REPORT_LIMIT = Duration.ofMinutes(1);

    /** How long a container may take to begin a dispatch on the thread that reports a disconnect. */
    private static final Duration BEGIN_LIMIT = Duration.ofSeconds(10);

    private static final String DISPATCH_LOST =
            "the client has disconnected, and the container has not carried out the dispatch of the handler";
    private static final String DISPATCH_PAST_FILTER = "the container has completed it past the idempotency filter."
            + " Register the filter for the dispatcher type ASYNC and for the path of the dispatch";

    private final CapturedResponse response;
    private final Lease lease;
    private final Supplier<@Nullable Runnable> waiting;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicReference<@Nullable End> end = new AtomicReference<>();
    private volatile @Nullable KeyedAsyncContext context;
    private volatile @Nullable Thread dispatcher;
    private volatile boolean refused;
    private volatile boolean interrupted;
    private volatile boolean cutOff;
    private volatile @Nullable Throwable failure;
    private final List<Runnable> notifications = new CopyOnWriteArrayList<>();

    private enum End {
        /** The handler called {@code complete()}, or failed where the container does not see it: this run completes the request. */
        COMPLETED,
        /** A dispatch returned without another cycle: the container completes the request. */
        DISPATCHED,
        /** The handler threw after {@code startAsync}, or the container ended the request: the container handles an exception. */
        FAILED,
        /** The container completed the request without the filter, and has sent a response. */
        MISSED
    }

    /**
     * Creates a run that has not started yet.
     *
     * @param waiting lets the calling thread wait for the handler, and returns what to run afterwards; null if too many threads wait
     */
    AsyncRun(CapturedResponse response, Lease lease, Supplier<@Nullable Runnable> waiting) {
        this.response = response;
        this.lease = lease;
        this.waiting = waiting;
        response.async(this);
    }

    /** Completes when the handler has completed the request, exceptionally if it failed. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    boolean isStarted() {
        return context != null;
    }

    /** Returns whether the handler may still be at work when the request ends. */
    boolean mayStillRun() {
        return refused || interrupted;
    }

    /** Returns whether the request ended while its response was streamed, so that a part of the response may be missing. */
    boolean isCutOff() {
        return cutOff;
    }

    /** Notes that the container does not support asynchronous requests here: the handler may have started something all the same. */
    void refuse() {
        refused = true;
    }

    boolean isDispatching() {
        return dispatcher == Thread.currentThread();
    }

    /** Returns the context of the current cycle. */
    AsyncContext context() {
        KeyedAsyncContext current = context;
        if (current == null) {
            throw new IllegalStateException("The request is not asynchronous");
        }
        return current;
    }

    /** Starts a cycle with the container's context. */
    AsyncContext start(AsyncContext container, ServletRequest request, ServletResponse response, boolean areOriginal) {
        KeyedAsyncContext before = context;
        KeyedAsyncContext started = new KeyedAsyncContext(this, container, request, response, areOriginal);
        context = started;
        this.response.streamOnFlush(true);
        container.addListener(new Events(started));
        if (before != null) {
            before.fire(AsyncListener::onStartAsync, started, null);
        }
        return started;
    }

    /**
     * Notifies a listener for non-blocking input or output, on a thread of the container, and not before the handler has returned.
     *
     * @throws IllegalStateException if the handler has not called {@code startAsync}
     */
    void later(Notification notification, Consumer<Throwable> onError) {
        KeyedAsyncContext current = context;
        if (current == null) {
            throw new IllegalStateException("The request is not asynchronous: call startAsync before");
        }
        Runnable task = () -> {
            try {
                notification.run();
            } catch (Throwable e) {
                listenerFailed(current, onError, e);
            }
        };
        if (isDispatching()) {
            notifications.add(task);
        } else {
            current.start(task);
        }
    }

    interface Notification {
        void run() throws IOException;
    }

    /** Ends the run after a listener has thrown, unless the application then completes or dispatches the request. */
    private void listenerFailed(KeyedAsyncContext cycle, Consumer<Throwable> onError, Throwable thrown) {
        try {
            onError.accept(thrown);
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "Listener of an asynchronous request failed", e);
        }
        if (cycle.isWaiting()) {
            cycle.fire(AsyncListener::onError, cycle, thrown);
        }
        if (cycle.isWaiting()) {
            String message = "A listener failed, and the handler may still be at work asynchronously";
            end(End.COMPLETED, new UnknownOutcomeException(message, thrown));
        }
    }

    private void notifyListeners() {
        List<Runnable> tasks = List.copyOf(notifications);
        notifications.clear();
        KeyedAsyncContext current = context;
        if (current != null) {
            tasks.forEach(current::start);
        }
    }

    /** Runs the handler until it returns. */
    void run(Handler handler) throws IOException, ServletException {
        dispatcher = Thread.currentThread();
        try {
            handler.run();
        } finally {
            dispatcher = null;
        }
    }

    interface Handler {
        void run() throws IOException, ServletException;
    }

    /**
     * Called when the first dispatch of the request has thrown.
     *
     * @return the exception for the engine; null if it is the given one
     */
    @Nullable Exception failed(Throwable thrown) {
        if (!isStarted() && !refused) {
            return null;
        }
        end.compareAndSet(null, End.FAILED);
        return new UnknownOutcomeException("The handler failed, and may still be at work asynchronously", thrown);
    }

    /** Called when the first dispatch of the request has returned. */
    void returned() {
        KeyedAsyncContext current = context;
        if (current == null) {
            ended.complete(null);
        } else if (current.isCompleting()) {
            end(End.COMPLETED, null);
        } else {
            notifyListeners();
        }
    }

    /** Runs the handler of an asynchronous dispatch, and ends the run unless another cycle has started. */
    void dispatch(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        KeyedAsyncContext before = context;
        if (before != null && !before.begin()) {
            return;
        }
        this.response.resume();
        dispatcher = Thread.currentThread();
        try {
            Throwable thrown = null;
            try {
                chain.doFilter(request, response);
            } catch (IOException | ServletException | RuntimeException | Error e) {
                thrown = e;
            }
            KeyedAsyncContext current = context;
            if (thrown != null) {
                boolean restarted = current != before;
                end(
                        restarted ? End.FAILED : End.DISPATCHED,
                        restarted
                                ? new UnknownOutcomeException("The handler failed, and may still be at work", thrown)
                                : thrown);
            } else if (current == before) {
                end(End.DISPATCHED, null);
            } else if (current != null && current.isCompleting()) {
                end(End.COMPLETED, null);
            } else {
                notifyListeners();
            }
        } finally {
            dispatcher = null;
        }
        rethrow();
    }

    /** Throws the exception that the container has to handle, if there is one. */
    void rethrow() throws IOException, ServletException {
        Throwable thrown = failure;
        if (thrown != null) {
            rethrow(thrown);
        }
    }

    /** Throws the exception of a handler as the handler has thrown it. */
    static void rethrow(Throwable failure) throws IOException, ServletException {
        Throwable thrown =
                failure instanceof UnknownOutcomeException && failure.getCause() != null ? failure.getCause() : failure;
        if (thrown instanceof IOException e) {
            throw e;
        } else if (thrown instanceof ServletException e) {
            throw e;
        } else if (thrown instanceof RuntimeException e) {
            throw e;
        } else if (thrown instanceof Error e) {
            throw e;
        }
        throw new ServletException(thrown);
    }

    /** Called by a handler that has completed the request on another thread than that of a dispatch. */
    void completeLater() {
        Runnable ending = () -> end(End.COMPLETED, null);
        try {
            Time.threads()
                    .execute(ending); // recording blocks, which the thread of the handler may not be allowed to do
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            ending.run();
        }
    }

    /** Called when the handler has called {@code dispatch()} or {@code complete()}: what is flushed from now on may be complete. */
    void leaveCycle() {
        response.streamOnFlush(false);
    }

    /** Returns whether a dispatch has to be left to the thread that reports, or is about to report, that the client has disconnected. */
    boolean leavesDispatch() {
        return !isDispatching() && response.hasLostClient();
    }

    /** Ends the run if its client has disconnected, and the container does not begin a dispatch in time. */
    void expectDispatch(KeyedAsyncContext cycle) {
        if (!response.hasLostClient()) {
            return;
        }
        Time.system().after(response.isDisconnected() ? BEGIN_LIMIT : REPORT_LIMIT, () -> {
            if (cycle.lose()) {
                missed(DISPATCH_LOST);
            }
        });
    }

    /** Ends a run that the filter cannot end as usual, and whose response is not the filter's any more. */
    private void missed(String reason) {
        if (hasEnded()) {
            return;
        }
        LOG.log(Level.ERROR, "Asynchronous request not recorded: " + reason);
        response.detach();
        end(End.MISSED, new UnknownOutcomeException("The end of the asynchronous request was missed", null));
    }

    /** Called before a dispatch, which passes the filter only if it is registered for {@code ASYNC}. Otherwise the client gets a 500. */
    void awaitDispatch() {
        response.suspend();
    }

    /** Called if the container has rejected a dispatch. */
    void rejectDispatch() {
        response.resume();
    }

    private void end(End how, @Nullable Throwable thrown) {
        if (!end.compareAndSet(null, how)) {
            return;
        }
        if (thrown == null) {
            ended.complete(null);
        } else {
            ended.completeExceptionally(thrown);
        }
    }

    boolean hasEnded() {
        return end.get() != null;
    }

    /** Returns whether the container has sent a response, so that no other can be sent. */
    boolean isMissed() {
        return end.get() == End.MISSED;
    }

    /** Called when the run is recorded and its response was sent, or could not be sent. */
    void sent(@Nullable Throwable failure) {
        KeyedAsyncContext current = context;
        if (current == null) {
            return;
        }
        switch (Objects.requireNonNull(end.get())) {
            case COMPLETED -> {
                if (failure != null) {
                    LOG.log(Level.WARNING, "Response not sent: {0}", failure);
                    response.abort();
                }
                current.ended(true);
            }
            case FAILED -> {
                this.failure = failure;
                current.ended(failure == null);
            }
            case DISPATCHED -> {
                this.failure = failure;
                current.ended(false);
            }
            case MISSED -> current.ended(false);
        }
    }

    /** Receives the events of the container for one cycle. */
    private final class Events implements AsyncListener {

        private final KeyedAsyncContext cycle;

        Events(KeyedAsyncContext cycle) {
            this.cycle = cycle;
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // the listeners of the handler are notified when the next context exists
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            if (!cycle.isCompleting()) {
                expire(AsyncListener::onTimeout, event, "The asynchronous request timed out");
            }
            if (cycle.isCompleting()) {
                cycle.awaitCompletion();
            }
        }

        @Override
        public void onError(AsyncEvent event) {
            boolean isDisconnected =
                    event.getThrowable() instanceof IOException && !cycle.isCompleting() && !hasEnded();
            if (isDisconnected) {
                response.disconnect();
                awaitHandler();
            }
            if (cycle.isWaiting()) {
                expire(AsyncListener::onError, event, "The asynchronous request failed");
            }
            if (isDisconnected && !hasEnded()) {
                runPending(event);
            }
            if (cycle.isCompleting()) {
                cycle.awaitCompletion();
            }
        }

        /** Runs a dispatch that was left to the calling thread; if it is rejected, ends the run. */
        private void runPending(AsyncEvent event) {
            IllegalStateException rejected = cycle.runPending();
            if (rejected != null) {
                LOG.log(Level.DEBUG, "The container has rejected a dispatch", rejected);
                end(End.FAILED, new UnknownOutcomeException("The asynchronous request failed", event.getThrowable()));
            }
        }

        /** Waits until the handler completes or dispatches the request: Tomcat discards the request when its listeners have returned. */
        private void awaitHandler() {
            Runnable leave = cycle.isWaiting() ? waiting.get() : null;
            try {
                if (leave != null || !cycle.isWaiting()) {
                    cycle.awaitHandler(lease);
                }
            } finally {
                if (leave != null) {
                    leave.run();
                }
            }
        }

        /** Lets the listeners of the handler complete or dispatch the request; otherwise ends the run. */
        private void expire(KeyedAsyncContext.Event notification, AsyncEvent event, String message) {
            interrupted = true;
            boolean wasWaiting = cycle.isWaiting();
            dispatcher = Thread.currentThread();
            try {
                cycle.fire(notification, cycle, event.getThrowable());
            } finally {
                dispatcher = null;
            }
            cutOff |= wasWaiting && !cycle.isCompleting() && response.isStreaming();
            if (cycle.isCompleting()) {
                end(End.COMPLETED, null);
            } else if (cycle.isWaiting()) {
                end(End.FAILED, new UnknownOutcomeException(message, event.getThrowable()));
            }
        }

        @Override
        public void onComplete(AsyncEvent event) {
            cycle.fire(AsyncListener::onComplete, cycle, event.getThrowable());
            if (cycle == context && !cycle.isCompleting() && !hasEnded()) {
                missed(response.hasLostClient() ? DISPATCH_LOST : DISPATCH_PAST_FILTER);
            }
        }
    }
}
