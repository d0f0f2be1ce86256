package dev.semel.http;

import dev.semel.once.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Traces requests with a key, and links the trace of a retry to the trace of the run whose response it gets.
 * {@link OpenTelemetryTracing} implements this for OpenTelemetry.
 */
@FunctionalInterface
public interface Tracing {

    /** A tracing that does nothing. */
    Tracing NONE = request -> new Trace() {};

    /** Starts the trace of a request with a key. It is closed on the same thread, or on another after {@link Trace#leaveThread}. */
    Trace begin(WebRequest request);

    /** The trace of one request. */
    interface Trace extends AutoCloseable {

        /** Returns a reference to the trace, which is recorded with the response and never sent; null if the trace is not recorded. */
        default @Nullable String reference() {
            return null;
        }

        /**
         * Called when the request has an outcome.
         *
         * @param replayed reference to the trace of the run whose response is replayed; null if no response is replayed, or the run has
         *     no reference
         */
        default void ended(Outcome outcome, @Nullable String replayed) {}

        /** Called if the request has no outcome: the store failed, or the call was not allowed. */
        default void aborted(Throwable cause) {}

        /** Called on the thread that started the trace, if the request is completed later. */
        default void leaveThread() {}

        @Override
        default void close() {}
    }
}
