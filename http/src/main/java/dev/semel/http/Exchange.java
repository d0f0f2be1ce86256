package dev.semel.http;

import dev.semel.once.Call;
import dev.semel.once.Lease;
import dev.semel.once.LeaseLostException;
import dev.semel.once.Once;
import dev.semel.once.Outcome;
import dev.semel.once.UnknownOutcomeException;
import dev.semel.once.UnrecordedException;
import dev.semel.store.ConflictException;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.Transaction;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request with a key, from the look-up to the answer. */
final class Exchange {

    private static final System.Logger LOG = System.getLogger(IdempotencyFilter.class.getName());

    /** These say how things stand at the moment, and not what is to be said of the request for ever. */
    private static final Set<Integer> NEVER_FINAL = Set.of(401, 409, 412, 429);

    private static final int FIRST_REFUSAL = 400;
    private static final int FIRST_FAILURE = 500;
    private static final Duration STORE_PAUSE = Duration.ofSeconds(1);

    /** Where the trace of a run is kept among the headers of its answer. No handler can set it, and nobody is sent it. */
    private static final String TRACE = "Semel-Trace";

    private final Once once;
    private final FilterSettings settings;
    private final Tracing tracing;
    private final Idempotency rule;
    private final Call call;
    private final byte[] body;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final FilterChain chain;
    private @Nullable Run last;
    private @Nullable String traceKept;

    Exchange(
            IdempotencyFilter.Parts parts,
            Idempotency rule,
            Call call,
            byte[] body,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain) {
        this.once = parts.once();
        this.settings = parts.settings();
        this.tracing = parts.tracing();
        this.rule = rule;
        this.call = call;
        this.body = body;
        this.request = request;
        this.response = response;
        this.chain = chain;
    }

    /** An answer that is given to the caller, and says that the request failed. */
    private static final class FailureAnswered extends Exception {

        private static final long serialVersionUID = 1L;

        FailureAnswered() {
            super("The answer is a failure", null, false, false);
        }
    }

    void answer() throws IOException, ServletException {
        Outcome outcome;
        try (Tracing.Trace trace = tracing.begin(request)) {
            traceKept = trace.kept();
            outcome = decide(trace);
        } catch (StoreException e) {
            LOG.log(Level.WARNING, "Store unavailable: {0}", e.getMessage());
            tell(EdgeProblem.STORE_UNAVAILABLE.retryAfter(STORE_PAUSE));
            return;
        } finally {
            if (last != null) {
                last.end();
            }
        }
        answer(outcome);
    }

    private Outcome decide(Tracing.Trace trace) {
        try {
            Outcome outcome = rule.ifAbandoned() == null
                    ? once.atomic(call, rule.pauses(), this::runInTransaction)
                    : once.leased(call, rule.ifAbandoned(), this::runWithLease);
            trace.ended(
                    outcome,
                    outcome instanceof Outcome.Replayed replayed
                            ? replayed.response().headers().get(TRACE)
                            : null);
            return outcome;
        } catch (Throwable e) {
            trace.brokeOff(e);
            throw e;
        }
    }

    /**
     * Runs the chain, again where others were quicker. Some containers' chains go on from where they stopped when they are called a
     * second time. So a run is repeated only if its end was reached, where the transaction was asked for: whatever stands between here
     * and there has let the request pass. What somebody said before that stands.
     */
    private Response runInTransaction(Transaction tx) throws Exception {
        Run before = last;
        if (before != null && !before.isTransactionTaken()) {
            return answered(before);
        }
        Run run = run(CapturedBody.NEVER, tx, null);
        if (before != null && before.isSeenWrapped() && run.isTransactionTaken() && !run.isSeenWrapped()) {
            throw new IllegalStateException(
                    "A filter behind this one was not run again: let this one be the last before the servlet");
        }
        return answered(run);
    }

    private Response runWithLease(Lease lease) throws Exception {
        try {
            return answered(run(settings.streamAfter(), null, lease));
        } catch (ServletException e) {
            throw unwrapped(e);
        }
    }

    /** What servlets and frameworks have to wrap, and tells that it is open what became of the operation. */
    private static Exception unwrapped(ServletException wrapped) {
        for (Throwable cause = wrapped.getRootCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof Error error) {
                throw error;
            }
            if (cause instanceof UnknownOutcomeException unknown) {
                return unknown;
            }
            if (cause instanceof InterruptedException) { // it ended there; a container's thread has to answer
                return new UnknownOutcomeException("interrupted", wrapped);
            }
        }
        return wrapped;
    }

    private Run run(int streamAfter, @Nullable Transaction tx, @Nullable Lease lease)
            throws IOException, ServletException {
        forgetLast();
        Run run = new Run(
                new KeyedRequest(request, body),
                new CapturedResponse(response, streamAfter, settings.responseLimit()),
                call.clientTxId(),
                tx,
                lease);
        last = run;
        run.begin();
        chain.doFilter(run.request(), run.response());
        run.response().finish();
        return run;
    }

    private Response answered(Run run) throws FailureAnswered, UnrecordedException {
        int status = run.response().getStatus();
        if (NEVER_FINAL.contains(status) || !run.isFinal()) {
            throw new UnrecordedException("The answer is not final");
        }
        if (status >= FIRST_FAILURE) {
            throw new FailureAnswered();
        }
        Map<String, String> beside = traceKept == null ? Map.of() : Map.of(TRACE, traceKept);
        Response response = run.response().toResponse(beside);
        return status >= FIRST_REFUSAL ? response.asRefusal() : response;
    }

    private void answer(Outcome outcome) throws IOException, ServletException {
        if (outcome instanceof Outcome.Replayed replayed) {
            replay(replayed.response());
        } else if (outcome instanceof Outcome.Executed executed) {
            if (!response.isCommitted()) {
                String expires =
                        executed.expiresAt().truncatedTo(ChronoUnit.MILLIS).toString();
                response.setHeader("Idempotency-Expires", expires);
            }
            Objects.requireNonNull(last).response().send();
        } else if (outcome instanceof Outcome.Failed failed) {
            answerFailure(failed.cause());
        } else if (outcome instanceof Outcome.InProgress inProgress) {
            tell(EdgeProblem.IN_PROGRESS.retryAfter(inProgress.retryAfter()));
        } else if (outcome instanceof Outcome.Limited limited) {
            tell(EdgeProblem.RATE_LIMITED.retryAfter(limited.retryAfter()));
        } else if (outcome instanceof Outcome.Mismatch) {
            tell(EdgeProblem.PAYLOAD_MISMATCH.problem());
        } else if (outcome instanceof Outcome.Expired expired) {
            tell(EdgeProblem.KEY_EXPIRED
                    .problem()
                    .detailed("The key was used at " + expired.createdAt() + " and expired at " + expired.expiredAt()
                            + ": what it asked for may have been done"));
        } else {
            tell(EdgeProblem.OUTCOME_UNKNOWN.problem());
        }
    }

    private void answerFailure(Throwable cause) throws IOException, ServletException {
        if (cause instanceof FailureAnswered || cause instanceof UnrecordedException) {
            Objects.requireNonNull(last).response().send();
            return;
        }
        boolean retryHelps = cause instanceof LeaseLostException
                || (cause instanceof ConflictException
                        && rule.mode() == Idempotency.Mode.ATOMIC
                        && !rule.hasOwnPauses());
        if (retryHelps) {
            tell(EdgeProblem.STORE_UNAVAILABLE.retryAfter(STORE_PAUSE));
            return;
        }
        forgetLast();
        throwAgain(cause);
    }

    private static void throwAgain(Throwable cause) throws IOException, ServletException {
        if (cause instanceof RuntimeException e) {
            throw e;
        } else if (cause instanceof Error e) {
            throw e;
        } else if (cause instanceof IOException e) {
            throw e;
        } else if (cause instanceof ServletException e) {
            throw e;
        }
        throw new ServletException(cause);
    }

    private void replay(Response recorded) throws IOException {
        refuseIfStreamed();
        forgetLast();
        response.setHeader("Idempotency-Replayed", "true");
        if (!recorded.isKept()) {
            EdgeProblem.RESPONSE_NOT_KEPT
                    .problem()
                    .withStatus(recorded.status())
                    .send(response);
            return;
        }
        response.setStatus(recorded.status());
        for (Map.Entry<String, String> header : recorded.headers().entrySet()) {
            if (!header.getKey().equals(TRACE)) {
                response.setHeader(header.getKey(), header.getValue());
            }
        }
        byte[] bytes = recorded.body();
        if (bytes.length > 0) {
            response.setContentLength(bytes.length);
            response.getOutputStream().write(bytes);
        }
    }

    private void tell(Problem problem) throws IOException {
        refuseIfStreamed();
        forgetLast();
        problem.send(response);
    }

    /** What was streamed is not what came of it: the answer breaks off, so that the client asks again. */
    private void refuseIfStreamed() throws IOException {
        if (last != null && last.response().isStreaming()) {
            throw new IOException("The answer was sent, but it could not be recorded");
        }
    }

    private void forgetLast() {
        if (last != null) {
            last.response().forget();
        }
    }
}
