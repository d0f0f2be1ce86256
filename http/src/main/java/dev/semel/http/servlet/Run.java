package dev.semel.http.servlet;

import dev.semel.document.Transaction;
import dev.semel.http.HandlerResult;
import dev.semel.once.Lease;
import dev.semel.store.Response;
import jakarta.servlet.ServletRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One run of a handler, with its request and its captured response. */
final class Run implements HandlerResult {

    private static final String ATTRIBUTE = Run.class.getName();

    private final KeyedRequest request;
    private final CapturedResponse response;
    private final String clientTxId;
    private final @Nullable Transaction transaction;
    private final @Nullable Lease lease;
    private final @Nullable AsyncRun async;
    private volatile boolean isFinal = true;
    private volatile boolean isOutcomeUnknown;
    private boolean transactionTaken;
    private boolean seenWrapped;

    Run(
            KeyedRequest request,
            CapturedResponse response,
            String clientTxId,
            @Nullable Transaction transaction,
            @Nullable Lease lease) {
        this.request = request;
        this.response = response;
        this.clientTxId = clientTxId;
        this.transaction = transaction;
        this.lease = lease;
        this.async = request.async();
    }

    /** Returns the run that a request belongs to, even if the request is wrapped; null if it has no key. */
    static @Nullable Run of(ServletRequest request) {
        return (Run) request.getAttribute(ATTRIBUTE);
    }

    void start() {
        request.setAttribute(ATTRIBUTE, this);
    }

    void end() {
        request.removeAttribute(ATTRIBUTE);
    }

    KeyedRequest request() {
        return request;
    }

    CapturedResponse response() {
        return response;
    }

    /** Returns the asynchronous part of a leased run; null if the run is atomic. */
    @Nullable AsyncRun async() {
        return async;
    }

    String clientTxId() {
        return clientTxId;
    }

    @Nullable Lease lease() {
        return lease;
    }

    /** Returns the transaction to the holder of a request, which may be a wrapper. */
    @Nullable Transaction transaction(ServletRequest asking) {
        transactionTaken = true;
        seenWrapped = seenWrapped || asking != request;
        return transaction;
    }

    /** Returns whether the handler has asked for its transaction. */
    boolean isTransactionTaken() {
        return transactionTaken;
    }

    /** Returns whether a filter behind this one has wrapped the request. */
    boolean isSeenWrapped() {
        return seenWrapped;
    }

    void doNotRecord() {
        isFinal = false;
    }

    void outcomeUnknown() {
        isOutcomeUnknown = true;
    }

    @Override
    public int status() {
        return response.getStatus();
    }

    @Override
    public boolean isFinal() {
        return isFinal;
    }

    @Override
    public boolean isOutcomeUnknown() {
        return isOutcomeUnknown || (async != null && async.isCutOff());
    }

    @Override
    public boolean mayStillRun() {
        return async != null && async.mayStillRun();
    }

    @Override
    public Response toResponse(Map<String, String> extraHeaders) {
        return response.toResponse(extraHeaders);
    }
}
