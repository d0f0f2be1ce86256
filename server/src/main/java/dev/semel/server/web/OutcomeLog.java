package dev.semel.server.web;

import dev.semel.http.Tracing;
import dev.semel.http.WebRequest;
import dev.semel.once.Outcome;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Adds the outcome of a request with a key to its log entries. A {@link Tracing}, because that is notified of outcomes on the thread of
 * the request. Passes everything on to another one.
 */
public final class OutcomeLog implements Tracing {

    /** The member of log entries. {@link ErrorFilter} removes it when the request ends. */
    static final String MEMBER = "outcome";

    private final Tracing tracing;

    public OutcomeLog(Tracing tracing) {
        this.tracing = tracing;
    }

    @Override
    public Trace begin(WebRequest request) {
        Trace trace = tracing.begin(request);
        return new Trace() {

            @Override
            public @Nullable String reference() {
                return trace.reference();
            }

            @Override
            public void ended(Outcome outcome, @Nullable String replayed) {
                MDC.put(MEMBER, outcome.name());
                trace.ended(outcome, replayed);
            }

            @Override
            public void aborted(Throwable cause) {
                trace.aborted(cause);
            }

            @Override
            public void close() {
                trace.close();
            }
        };
    }
}
