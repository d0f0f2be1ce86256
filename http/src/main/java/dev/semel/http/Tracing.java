package dev.semel.http;

import dev.semel.once.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Traces requests with a key, so that the trace of a retry leads to that of the run whose response it gets. Implemented for tracers
 * such as {@link OpenTelemetryTracing}.
 */
@FunctionalInterface
public interface Tracing {

    /** Traces nothing. */
    Tracing NONE = request -> new Trace() {};

    /** Starts the trace of a request with a key; it is closed on the same thread. */
    Trace begin(WebRequest request);

    /** The trace of one request. */
    interface Trace extends AutoCloseable {

        /** Reference to the trace: recorded with the response, and never sent. Null if the trace is not recorded. */
        default @Nullable String reference() {
            return null;
        }

        /**
         * The request has an outcome.
         *
         * @param replayed reference to the trace of the run whose response is replayed; null if none is, or it has no reference
         */
        default void ended(Outcome outcome, @Nullable String replayed) {}

        /** The request was aborted without an outcome: the store failed, or the call was not allowed. */
        default void aborted(Throwable cause) {}

        @Override
        default void close() {}
    }
}
