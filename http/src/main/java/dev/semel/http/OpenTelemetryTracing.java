package dev.semel.http;

import dev.semel.once.Once.UnrecordedException;
import dev.semel.once.Outcome;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates an OpenTelemetry span for each request with a key. The span has the outcome, the route and the number of the attempt, and never
 * a key, a user or a payload. The span of a retry is linked to the span of the run whose response it gets.
 *
 * <p>The parent is the current span; if there is none, the one named by the request's {@code traceparent}. While the handler runs, the span
 * is current.
 */
public final class OpenTelemetryTracing implements Tracing {

    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("semel.once.outcome");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("semel.once.attempt");
    private static final AttributeKey<String> ROUTE = AttributeKey.stringKey("http.route");
    private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

    private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();
    private static final TextMapGetter<WebRequest> HEADERS =
            (request, name) -> request == null ? null : request.header(name);
    private static final TextMapGetter<String> TEXT = (text, name) -> name.equals("traceparent") ? text : null;

    private final Tracer tracer;
    private final Function<WebRequest, @Nullable String> route;

    /**
     * Creates spans with the application's OpenTelemetry, or with {@code GlobalOpenTelemetry.get()} if an agent sets it.
     *
     * @param route returns the template of a request's path, such as {@code /orders/{id}}; null if it is unknown
     */
    public OpenTelemetryTracing(OpenTelemetry telemetry, Function<WebRequest, @Nullable String> route) {
        this.tracer = telemetry.getTracer("dev.semel");
        this.route = route;
    }

    @Override
    public Trace begin(WebRequest request) {
        String path = route.apply(request);
        SpanBuilder span = tracer.spanBuilder(path == null ? "once" : "once " + path)
                .setParent(parent(request))
                .setAttribute(METHOD, request.method());
        if (path != null) {
            span.setAttribute(ROUTE, path);
        }
        return new Spanned(span.startSpan());
    }

    private static Context parent(WebRequest request) {
        Context current = Context.current();
        return Span.fromContext(current).getSpanContext().isValid() ? current : W3C.extract(current, request, HEADERS);
    }

    private static final class Spanned implements Trace {

        private final Span span;
        private final Scope scope;
        private volatile boolean hasLeft;

        @SuppressWarnings("MustBeClosedChecker") // close() closes it
        Spanned(Span span) {
            this.span = span;
            this.scope = span.makeCurrent();
        }

        @Override
        public @Nullable String reference() {
            SpanContext context = span.getSpanContext();
            return span.isRecording() && context.isSampled()
                    ? "00-" + context.getTraceId() + "-" + context.getSpanId() + "-01"
                    : null;
        }

        @Override
        public void ended(Outcome outcome, @Nullable String replayed) {
            span.setAttribute(OUTCOME, outcome.name());
            int attempt = attempt(outcome);
            if (attempt > 0) {
                span.setAttribute(ATTEMPT, attempt);
            }
            if (replayed != null) {
                SpanContext run = Span.fromContext(W3C.extract(Context.root(), replayed, TEXT))
                        .getSpanContext();
                if (run.isValid()) {
                    span.addLink(run);
                }
            }
            if (outcome instanceof Outcome.Failed failed && !(failed.cause() instanceof UnrecordedException)) {
                span.setStatus(StatusCode.ERROR);
            }
        }

        private static int attempt(Outcome outcome) {
            if (outcome instanceof Outcome.Executed executed) {
                return executed.attempt();
            } else if (outcome instanceof Outcome.Replayed replayed) {
                return replayed.attempt();
            } else if (outcome instanceof Outcome.Failed failed) {
                return failed.attempt();
            }
            return outcome instanceof Outcome.Unknown unknown ? unknown.attempt() : 0;
        }

        @Override
        public void aborted(Throwable cause) {
            span.setStatus(StatusCode.ERROR);
            span.setAttribute(ERROR, cause.getClass().getName()); // not its message, which may hold user data
        }

        @Override
        public void leaveThread() {
            scope.close();
            hasLeft = true;
        }

        @Override
        public void close() {
            if (!hasLeft) {
                scope.close();
            }
            span.end();
        }
    }
}
