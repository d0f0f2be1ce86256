package dev.semel.http;

import dev.semel.store.Response;
import java.util.Map;

/** The response of a handler, before it is recorded. */
public interface HandlerResult {

    /** Returns the HTTP status. */
    int status();

    /** Returns whether the handler allows the response to be recorded. */
    boolean isFinal();

    /** Returns whether the handler has reported that it does not know whether it had its effect. */
    boolean isOutcomeUnknown();

    /** Returns whether the handler may still be at work, although the request was ended for it. */
    boolean mayStillRun();

    /**
     * Returns the response to record.
     *
     * @param extraHeaders recorded in addition to the {@linkplain ReplayedHeaders replayed headers} of the response
     */
    Response toResponse(Map<String, String> extraHeaders);
}
