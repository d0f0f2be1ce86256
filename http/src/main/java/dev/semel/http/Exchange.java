package dev.semel.http;

import dev.semel.document.Transactions.WriteConflictException;
import dev.semel.once.Call;
import dev.semel.once.Lease;
import dev.semel.once.Once;
import dev.semel.once.Once.FailedResponse;
import dev.semel.once.Once.UnknownOutcomeException;
import dev.semel.once.Once.UnrecordedException;
import dev.semel.once.Outcome;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A request with an idempotency key: runs its handler once, and sends or replays the response. */
public final class Exchange {

    private static final System.Logger LOG = System.getLogger(Exchange.class.getName());

    /** Statuses that depend on the current state, so a retry runs the handler again. */
    private static final Set<Integer> NEVER_FINAL = Set.of(401, 409, 412, 429);

    private static final int FIRST_REFUSAL = 400;
    private static final int FIRST_FAILURE = 500;
    private static final Duration STORE_RETRY = Duration.ofSeconds(1);
    private static final Map<String, String> REPLAYED = Map.of("Idempotency-Replayed", "true");
    private static final String EXPIRES = "Idempotency-Expires";

    /** Recorded header with the reference to the trace of the run. Handlers cannot set it, and it is never sent. */
    private static final String TRACE = "Semel-Trace";

    private final Once once;
    private final Waiters waiters;
    private final Tracing tracing;
    private final Idempotency rule;
    private final Call call;
    private final byte @Nullable [] body;
    private final WebRequest request;
    private @Nullable String traceReference;

    Exchange(
            Once once,
            Waiters waiters,
            Tracing tracing,
            Idempotency rule,
            Call call,
            byte @Nullable [] body,
            WebRequest request) {
        this.once = once;
        this.waiters = waiters;
        this.tracing = tracing;
        this.rule = rule;
        this.call = call;
        this.body = body;
        this.request = request;
    }

    /** Reports a response with a failure status to the engine as a failed operation. */
    private static final class FailureResponse extends Exception implements FailedResponse {

        private static final long serialVersionUID = 1L;

        private final int status;

        FailureResponse(int status, @Nullable Throwable cause) {
            super("The response has status " + status, cause, false, false);
            this.status = status;
        }

        @Override
        public int status() {
            return status;
        }
    }

    /** Reports a response that is not recorded, so that a retry runs the handler again. */
    private static final class UnrecordedResponse extends UnrecordedException implements FailedResponse {

        private static final long serialVersionUID = 1L;

        private final int status;

        UnrecordedResponse(int status) {
            super("The response with status " + status + " is not final");
            this.status = status;
        }

        @Override
        public int status() {
            return status;
        }
    }

    /**
     * Returns the whole body of the request. The array is not a copy and must not be changed.
     *
     * @return null if the body was parsed, so that the request has its parameters or parts
     */
    public byte @Nullable [] body() {
        return body;
    }

    /** Returns the client's transaction id, or the generated one if the client sent none. */
    public String clientTxId() {
        return call.clientTxId();
    }

    /**
     * Runs the handler and sends its response; or sends the recorded response or an error instead. If the handler completes the request
     * later, this returns before.
     *
     * @throws Exception if the handler throws, or the response cannot be sent
     */
    public void run(HandlerAdapter handler) throws Exception {
        Tracing.Trace trace = tracing.begin(request);
        traceReference = trace.reference();
        CompletableFuture<Outcome> outcome = outcomeOrWait(handler);
        if (!handler.isAsync()) {
            finish(outcome, trace, handler);
            return;
        }
        trace.leaveThread();
        var unused = outcome.whenComplete((result, failure) -> {
            try {
                finish(outcome, trace, handler);
            } catch (Throwable e) {
                handler.complete(e);
                return;
            }
            handler.complete(null);
        });
    }

    /** Waits for a request in progress if the client prefers to wait and the bounds allow it. */
    private CompletableFuture<Outcome> outcomeOrWait(HandlerAdapter handler) {
        CompletableFuture<Outcome> outcome = outcome(call.waiting(Duration.ZERO), handler);
        boolean inProgress =
                outcome.isDone() && !outcome.isCompletedExceptionally() && outcome.join() instanceof Outcome.InProgress;
        Runnable leave = inProgress && !call.maxWait().isZero()
                ? waiters.enter(call.key().user())
                : null;
        if (leave == null) {
            return outcome;
        }
        try {
            return outcome(call, handler);
        } finally {
            leave.run();
        }
    }

    /**
     * Lets the calling thread wait for the handler of this request.
     *
     * @return what to run afterwards; null if the thread must not wait, because too many do
     */
    public @Nullable Runnable enterWaiting() {
        return waiters.enter(call.key().user());
    }

    private CompletableFuture<Outcome> outcome(Call call, HandlerAdapter handler) {
        try {
            return rule.ifAbandoned() == null
                    ? CompletableFuture.completedFuture(
                            once.atomic(call, rule.backoff(), tx -> toRecord(handler.run(tx))))
                    : once.leasedAsync(call, rule.ifAbandoned(), lease -> toRecord(handler.run(lease)))
                            .toCompletableFuture();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<Response> toRecord(CompletionStage<? extends HandlerResult> result) {
        return result.thenCompose(complete -> {
            try {
                return CompletableFuture.completedFuture(toRecord(complete));
            } catch (FailureResponse | UnrecordedException e) {
                return CompletableFuture.failedFuture(e);
            }
        });
    }

    private void finish(CompletableFuture<Outcome> complete, Tracing.Trace trace, HandlerAdapter handler)
            throws Exception {
        Outcome outcome;
        try (trace) {
            outcome = traced(complete, trace);
        } catch (CompletionException e) {
            handler.end();
            abort(causeOf(e), handler);
            return;
        }
        handler.end();
        if (outcome instanceof Outcome.Failed || outcome instanceof Outcome.Unknown) {
            Thread.interrupted(); // an interrupted thread cannot send the response
        }
        respond(outcome, handler);
    }

    private static Outcome traced(CompletableFuture<Outcome> complete, Tracing.Trace trace) {
        try {
            Outcome outcome = complete.join();
            String replayedTrace = outcome instanceof Outcome.Replayed replayed
                    ? replayed.response().headers().get(TRACE)
                    : null;
            trace.ended(outcome, replayedTrace);
            return outcome;
        } catch (CompletionException e) {
            trace.aborted(causeOf(e));
            throw e;
        }
    }

    private static Throwable causeOf(CompletionException e) {
        return e.getCause() == null ? e : e.getCause();
    }

    private static void abort(Throwable cause, HandlerAdapter handler) throws Exception {
        if (!(cause instanceof StoreException)) {
            throw rethrown(cause);
        }
        LOG.log(Level.WARNING, "Store unavailable: {0}", cause.getMessage());
        send(IdempotencyProblem.STORE_UNAVAILABLE.retryAfter(STORE_RETRY), handler);
    }

    private static Exception rethrown(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof Exception e ? e : new IllegalStateException(cause);
    }

    private Response toRecord(HandlerResult result) throws FailureResponse, UnrecordedException {
        int status = result.status();
        boolean isFinal = !NEVER_FINAL.contains(status) && result.isFinal();
        if (result.isOutcomeUnknown()) {
            throw new FailureResponse(
                    status, new UnknownOutcomeException("The handler does not know whether it had its effect", null));
        }
        if (result.mayStillRun() && (!isFinal || status >= FIRST_FAILURE)) {
            throw new FailureResponse(
                    status,
                    new UnknownOutcomeException(
                            "The request ended with status " + status + " while its handler may still be at work",
                            null));
        }
        if (!isFinal) {
            throw new UnrecordedResponse(status);
        }
        if (status >= FIRST_FAILURE) {
            throw new FailureResponse(status, null);
        }
        Response response = result.toResponse(traceReference == null ? Map.of() : Map.of(TRACE, traceReference));
        return status >= FIRST_REFUSAL ? response.asRefusal() : response;
    }

    private void respond(Outcome outcome, HandlerAdapter handler) throws Exception {
        if (outcome instanceof Outcome.Replayed replayed) {
            replay(replayed.response(), handler);
        } else if (outcome instanceof Outcome.Executed executed) {
            handler.send(Map.of(
                    EXPIRES, executed.expiresAt().truncatedTo(ChronoUnit.MILLIS).toString()));
        } else if (outcome instanceof Outcome.Failed failed) {
            respondToFailure(failed.cause(), handler);
        } else if (outcome instanceof Outcome.InProgress inProgress) {
            send(IdempotencyProblem.IN_PROGRESS.retryAfter(inProgress.retryAfter()), handler);
        } else if (outcome instanceof Outcome.Limited limited) {
            send(IdempotencyProblem.RATE_LIMITED.retryAfter(limited.retryAfter()), handler);
        } else if (outcome instanceof Outcome.Mismatch) {
            send(IdempotencyProblem.PAYLOAD_MISMATCH.problem(), handler);
        } else if (outcome instanceof Outcome.Expired expired) {
            Problem problem = IdempotencyProblem.KEY_EXPIRED
                    .problem()
                    .detailed("The key was first used at " + expired.createdAt() + " and expired at "
                            + expired.expiredAt() + ". The request may have been executed then.");
            send(problem, handler);
        } else {
            send(IdempotencyProblem.OUTCOME_UNKNOWN.problem(), handler);
        }
    }

    private void respondToFailure(Throwable cause, HandlerAdapter handler) throws Exception {
        if (cause instanceof FailureResponse || cause instanceof UnrecordedException) {
            if (cause.getCause() instanceof UnknownOutcomeException) {
                requireUnstreamed(handler);
            }
            handler.send(Map.of());
            return;
        }
        boolean retryHelps = cause instanceof Lease.LostException
                || (cause instanceof WriteConflictException
                        && rule.mode() == Idempotency.Mode.ATOMIC
                        && !rule.hasOwnBackoff());
        if (retryHelps) {
            send(IdempotencyProblem.STORE_UNAVAILABLE.retryAfter(STORE_RETRY), handler);
            return;
        }
        handler.discard();
        throw rethrown(cause);
    }

    private static void replay(Response recorded, HandlerAdapter handler) throws IOException {
        discardUnsent(handler);
        if (recorded.isKept()) {
            handler.replay(withoutTrace(recorded), REPLAYED);
        } else {
            handler.send(IdempotencyProblem.RESPONSE_NOT_KEPT.problem().withStatus(recorded.status()), REPLAYED);
        }
    }

    private static Response withoutTrace(Response recorded) {
        if (!recorded.headers().containsKey(TRACE)) {
            return recorded;
        }
        Map<String, String> headers = new HashMap<>(recorded.headers());
        headers.remove(TRACE);
        return Response.of(recorded.status(), headers, recorded.body());
    }

    private static void send(Problem problem, HandlerAdapter handler) throws IOException {
        discardUnsent(handler);
        handler.send(problem, Map.of());
    }

    /** A streamed response that was not recorded is cut off, so that the client retries. */
    private static void discardUnsent(HandlerAdapter handler) throws IOException {
        requireUnstreamed(handler);
        handler.discard();
    }

    private static void requireUnstreamed(HandlerAdapter handler) throws IOException {
        if (handler.isStreaming()) {
            throw new IOException(
                    "The response was streamed but not recorded: it is cut off, so that the client retries");
        }
    }
}
