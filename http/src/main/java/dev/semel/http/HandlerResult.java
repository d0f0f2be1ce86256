package dev.semel.http;

import dev.semel.store.Response;
import java.util.Map;

/** The response that a handler made, before it is recorded. */
public interface HandlerResult {

    /** Its HTTP status. */
    int status();

    /** Whether the handler allows it to be recorded. */
    boolean isFinal();

    /**
     * What is recorded of it.
     *
     * @param extraHeaders recorded in addition to its own {@linkplain ReplayedHeaders replayed headers}
     */
    Response toResponse(Map<String, String> extraHeaders);
}
