package dev.semel.http;

import dev.semel.once.Outcome;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Follows requests with a key, so that a retry leads to the trace of the run whose answer it gets. Made for tracers such as
 * {@link OpenTelemetryTracing}.
 */
@FunctionalInterface
public interface Tracing {

    /** Follows nothing. */
    Tracing NONE = request -> new Trace() {};

    /** A request with a key has come in. What is begun here is closed on the same thread. */
    Trace begin(HttpServletRequest request);

    /** One request on its way. */
    interface Trace extends AutoCloseable {

        /** By what its trace is found again: kept with the record, and sent to nobody. Null if there is nothing to find. */
        default @Nullable String kept() {
            return null;
        }

        /**
         * It came to an end.
         *
         * @param first what was kept of the run whose answer is repeated; null if none is, or nothing was kept
         */
        default void ended(Outcome outcome, @Nullable String first) {}

        /** It broke off, since the store failed or it was not allowed. */
        default void brokeOff(Throwable cause) {}

        @Override
        default void close() {}
    }
}
