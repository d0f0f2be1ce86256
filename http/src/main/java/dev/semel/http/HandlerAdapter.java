package dev.semel.http;

import dev.semel.document.Transaction;
import dev.semel.once.Lease;
import dev.semel.store.Response;
import java.io.IOException;
import java.util.Map;

/**
 * What a web framework does for one request with a key: it runs the handler, holds back its response, and sends what {@link Exchange}
 * decides. Used by one thread, for one request.
 */
public interface HandlerAdapter {

    /**
     * Runs the handler of an atomic request; again, with another transaction, after a write conflict. The response of an earlier run is
     * discarded. No byte of the response is sent before it is recorded.
     */
    HandlerResult run(Transaction tx) throws Exception;

    /**
     * Runs the handler of a leased request. A long response may be streamed, which is sent before it is recorded.
     *
     * @throws dev.semel.once.Once.UnknownOutcomeException if the handler cannot tell whether it worked
     */
    HandlerResult run(Lease lease) throws Exception;

    /** The request has an outcome: what the last run was given is no longer available to the handler. */
    void end();

    /** Whether the client has received a part of the last run's response. */
    boolean isStreaming();

    /** Discards the response of the last run, if there is one and it was not streamed. */
    void discard();

    /**
     * Sends the response of the last run, or the rest of it.
     *
     * @param headers sent in addition; left out if the response was streamed
     */
    void send(Map<String, String> headers) throws IOException;

    /** Sends a recorded response. */
    void replay(Response recorded, Map<String, String> headers) throws IOException;

    /** Sends an error. */
    void send(Problem problem, Map<String, String> headers) throws IOException;
}
