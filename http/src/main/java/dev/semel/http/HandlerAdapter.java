package dev.semel.http;

import dev.semel.document.Transaction;
import dev.semel.once.Lease;
import dev.semel.store.Response;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Adapts a web framework to {@link Exchange}: runs the handler of one request, buffers its response, and sends the response that the
 * exchange chooses. Used for one request, by one thread at a time.
 */
public interface HandlerAdapter {

    /**
     * Runs the handler of an atomic request. After a write conflict it is called again, with another transaction, and the response of the
     * earlier run is discarded. The response must not be sent before it is recorded.
     */
    HandlerResult run(Transaction tx) throws Exception;

    /**
     * Runs the handler of a leased request. A long response may be streamed: it is then sent before it is recorded.
     *
     * @return completes when the handler has completed the request, which may be after this method has returned
     * @throws dev.semel.once.Once.UnknownOutcomeException if the handler does not know whether it had its effect
     */
    CompletionStage<? extends HandlerResult> run(Lease lease) throws Exception;

    /** Returns whether the last run may complete the request after {@link #run(Lease)} has returned. */
    boolean isAsync();

    /** Called when the request has an outcome. The transaction or lease of the last run must no longer be available to the handler. */
    void end();

    /**
     * Called after {@link #end} and after the response was sent, if the last run {@linkplain #isAsync() is asynchronous}.
     *
     * @param failure the exception of the handler, or of sending its response; null if the response was sent
     */
    void complete(@Nullable Throwable failure);

    /** Returns whether a part of the last run's response was sent. */
    boolean isStreaming();

    /** Discards the response of the last run, unless there is none or it was streamed. */
    void discard();

    /**
     * Sends the response of the last run, or the rest of it if it was streamed.
     *
     * @param headers additional headers; ignored if the response was streamed
     */
    void send(Map<String, String> headers) throws IOException;

    /** Sends a recorded response with additional headers. */
    void replay(Response recorded, Map<String, String> headers) throws IOException;

    /** Sends an error with additional headers. */
    void send(Problem problem, Map<String, String> headers) throws IOException;
}
