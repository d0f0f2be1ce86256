package dev.semel.http.servlet;

import dev.semel.document.Transaction;
import dev.semel.http.CapturedBody;
import dev.semel.http.Exchange;
import dev.semel.http.FilterSettings;
import dev.semel.http.HandlerAdapter;
import dev.semel.http.IdempotencyProblem;
import dev.semel.http.Problem;
import dev.semel.once.Lease;
import dev.semel.store.Response;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Runs the rest of a filter chain as the handler of a request. */
final class FilterChainAdapter implements HandlerAdapter {

    private final Exchange exchange;
    private final FilterSettings settings;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final FilterChain chain;
    private @Nullable Run last;

    FilterChainAdapter(
            Exchange exchange,
            FilterSettings settings,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain) {
        this.exchange = exchange;
        this.settings = settings;
        this.request = request;
        this.response = response;
        this.chain = chain;
    }

    /**
     * Runs the chain, and runs it again after a write conflict. In some containers a chain that is called a second time continues where it
     * stopped. So the chain is called again only if the handler at its end was reached, which is known when it asks for the transaction:
     * then all filters in between have passed the request on. Otherwise the response of the earlier run is kept.
     */
    @Override
    public Run run(Transaction tx) throws IOException, ServletException {
        Run before = last;
        if (before != null && !before.isTransactionTaken()) {
            return before;
        }
        CapturedResponse captured = new CapturedResponse(response, CapturedBody.NEVER, settings.responseLimit());
        Run run = begin(captured, null, tx, null);
        handle(run, chain);
        captured.finish();
        if (before != null && before.isSeenWrapped() && run.isTransactionTaken() && !run.isSeenWrapped()) {
            throw new IllegalStateException(
                    "The container did not run the filters behind IdempotencyFilter again after a write conflict: register it as the last filter");
        }
        return run;
    }

    @Override
    public CompletionStage<Run> run(Lease lease) throws Exception {
        CapturedResponse captured = new CapturedResponse(response, settings.streamAfter(), settings.responseLimit());
        AsyncRun async = new AsyncRun(captured, lease, exchange::enterWaiting);
        Run run = begin(captured, async, null, lease);
        try {
            async.run(() -> handle(run, chain));
            async.returned();
        } catch (Throwable e) {
            Exception unclear = async.failed(e);
            if (unclear != null) {
                throw unclear;
            }
            throw e;
        }
        return async.ended().thenApply(ended -> {
            captured.finish();
            return run;
        });
    }

    private Run begin(
            CapturedResponse captured, @Nullable AsyncRun async, @Nullable Transaction tx, @Nullable Lease lease) {
        discard();
        KeyedRequest keyed = new KeyedRequest(request, exchange.body(), captured, async);
        Run run = new Run(keyed, captured, exchange.clientTxId(), tx, lease);
        last = run;
        run.start();
        return run;
    }

    private static void handle(Run run, FilterChain chain) throws IOException, ServletException {
        try {
            chain.doFilter(run.request(), run.response());
        } catch (IOException | ServletException | RuntimeException e) {
            if (!run.request().isFormMalformed() || run.response().isStreaming()) {
                throw e;
            }
            run.doNotRecord();
            run.response().send(IdempotencyProblem.UNREADABLE_BODY.problem().detailed("The form is malformed"));
        }
    }

    @Override
    public boolean isAsync() {
        AsyncRun async = async();
        return async != null && async.isStarted();
    }

    private @Nullable AsyncRun async() {
        return last == null ? null : last.async();
    }

    @Override
    public void end() {
        if (last != null) {
            last.end();
        }
    }

    @Override
    public void complete(@Nullable Throwable failure) {
        AsyncRun async = async();
        if (async != null) {
            async.sent(failure);
        }
    }

    /** Throws the exception that the container has to handle, if the asynchronous run has failed before it left this thread. */
    void rethrow() throws IOException, ServletException {
        AsyncRun async = async();
        if (async != null) {
            async.rethrow();
        }
    }

    /** Returns whether the container has sent a response, so that no other can be sent. */
    private boolean isMissed() {
        AsyncRun async = async();
        return async != null && async.isMissed();
    }

    @Override
    public boolean isStreaming() {
        return last != null && last.response().isStreaming();
    }

    @Override
    public void discard() {
        if (last != null && !isMissed()) {
            last.response().discard();
        }
    }

    @Override
    public void send(Map<String, String> headers) throws IOException {
        if (isMissed()) {
            return;
        }
        if (!response.isCommitted()) {
            headers.forEach(response::setHeader);
        }
        Objects.requireNonNull(last).response().send();
    }

    @Override
    public void replay(Response recorded, Map<String, String> headers) throws IOException {
        if (!isMissed()) {
            headers.forEach(response::setHeader);
            CapturedResponse.replay(recorded, response);
        }
    }

    @Override
    public void send(Problem problem, Map<String, String> headers) throws IOException {
        if (!isMissed()) {
            headers.forEach(response::setHeader);
            ProblemSender.send(problem, response);
        }
    }
}
