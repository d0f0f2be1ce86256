package dev.semel.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.Idempotency;
import dev.semel.http.OpenTelemetryTracing;
import dev.semel.http.Tracing;
import dev.semel.store.IfAbandoned;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import jakarta.servlet.AsyncContext;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenTelemetryTracingTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String PARENT = "00f067aa0ba902b7";
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("semel.once.outcome");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("semel.once.attempt");

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final List<SpanContext> seen = new ArrayList<>();

    private Tracing tracing(Sampler sampler) {
        return new OpenTelemetryTracing(sdk(sampler), request -> "/orders/{id}");
    }

    @SuppressWarnings("resource") // it ends with the test, and holds nothing
    private OpenTelemetrySdk sdk(Sampler sampler) {
        return OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .setSampler(sampler)
                        .addSpanProcessor(SimpleSpanProcessor.create(spans))
                        .build())
                .build();
    }

    private TestApp.Builder app(Idempotency rule) {
        return TestApp.on(Container.JETTY).rule(rule).tracing(tracing(Sampler.alwaysOn()));
    }

    private SpanData last() {
        List<SpanData> all = spans.getFinishedSpanItems();
        return all.get(all.size() - 1);
    }

    @Test
    void replay_linksToTheFirstRun() throws Exception {
        for (Idempotency rule : List.of(Idempotency.atomic(), Idempotency.leased(IfAbandoned.RERUN))) {
            for (int status : new int[] {201, 422}) {
                spans.reset();
                seen.clear();
                try (TestApp app = app(rule).serve((request, response) -> {
                    seen.add(Span.current().getSpanContext());
                    response.setStatus(status);
                    response.getWriter().write("done");
                })) {
                    app.post("/orders/s3cret")
                            .key("s3cret-key")
                            .json("{\"s3cret\":1}")
                            .send();
                    HttpResponse<byte[]> again = app.post("/orders/s3cret")
                            .key("s3cret-key")
                            .json("{\"s3cret\":1}")
                            .send();
                    assertThat(again.headers().map().keySet())
                            .contains("idempotency-replayed")
                            .noneMatch(name -> name.contains("trace"));
                    SpanData run = spans.getFinishedSpanItems().get(0);
                    SpanData replay = spans.getFinishedSpanItems().get(1);
                    assertThat(seen).containsExactly(run.getSpanContext());
                    assertThat(run.getName()).isEqualTo("once /orders/{id}");
                    assertThat(run.getLinks()).isEmpty();
                    assertThat(run.getAttributes().get(OUTCOME)).isEqualTo("executed");
                    assertThat(run.getAttributes().get(AttributeKey.stringKey("http.route")))
                            .isEqualTo("/orders/{id}");
                    assertThat(run.getAttributes().get(ATTEMPT)).isEqualTo(1);
                    assertThat(replay.getAttributes().get(OUTCOME)).isEqualTo("replayed");
                    assertThat(replay.getTraceId()).isNotEqualTo(run.getTraceId());
                    assertThat(replay.getLinks().stream()
                                    .map(LinkData::getSpanContext)
                                    .map(link -> link.getTraceId() + " " + link.getSpanId()))
                            .containsExactly(run.getTraceId() + " " + run.getSpanId());
                    assertThat(spans.getFinishedSpanItems().toString()).doesNotContain("s3cret", "ann");
                }
            }
        }
    }

    @Test
    void traceparentHeader_isTheParentUnlessASpanIsCurrent() throws Exception {
        OpenTelemetrySdk agent = sdk(Sampler.alwaysOn());
        for (boolean hasAgent : new boolean[] {false, true}) {
            spans.reset();
            TestApp.Builder builder = app(Idempotency.atomic());
            if (hasAgent) {
                builder.inFront((request, response, chain) -> {
                    Span span = agent.getTracer("agent").spanBuilder("server").startSpan();
                    try (var scope = span.makeCurrent()) {
                        assertThat(scope).isNotNull();
                        chain.doFilter(request, response);
                    } finally {
                        span.end();
                    }
                });
            }
            try (TestApp app = builder.serve((request, response) -> response.setStatus(204))) {
                app.post("/")
                        .key("k")
                        .header("traceparent", "00-" + TRACE + "-" + PARENT + "-01")
                        .send();
            }
            SpanData span = spans.getFinishedSpanItems().get(0);
            assertThat(span.getTraceId().equals(TRACE)).isEqualTo(!hasAgent);
            assertThat(span.getParentSpanId())
                    .isEqualTo(hasAgent ? spans.getFinishedSpanItems().get(1).getSpanId() : PARENT);
        }
    }

    @Test
    void everyOutcome_isAnAttributeOfTheSpan() throws Exception {
        boolean[] works = {false};
        try (TestApp app = app(Idempotency.atomic()).serve((request, response) -> {
            response.setStatus(works[0] ? 204 : request.getRequestURI().equals("/conflict") ? 409 : 500);
        })) {
            app.post("/conflict").key("k").send();
            assertThat(last().getAttributes().get(OUTCOME)).isEqualTo("failed");
            assertThat(last().getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
            app.post("/").key("k").send();
            assertThat(last().getAttributes().get(OUTCOME)).isEqualTo("failed");
            assertThat(last().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            works[0] = true;
            app.post("/").key("k").send();
            assertThat(last().getAttributes().get(OUTCOME)).isEqualTo("executed");
            assertThat(last().getAttributes().get(ATTEMPT)).isEqualTo(2);
            app.post("/").key("k").body("other").send();
            assertThat(last().getAttributes().get(OUTCOME)).isEqualTo("mismatch");
            app.store.goDown();
            app.post("/").key("k").send();
            assertThat(last().getAttributes().get(OUTCOME)).isNull();
            assertThat(last().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            assertThat(last().getAttributes().get(AttributeKey.stringKey("error.type")))
                    .isEqualTo("dev.semel.store.StoreException");
            assertThat(spans.getFinishedSpanItems()).hasSize(5);
        }
    }

    @Test
    void spanOfAnAsynchronousRun_endsWithTheRun() throws Exception {
        try (TestApp app = app(Idempotency.leased(IfAbandoned.FREEZE)).async().serve((request, response) -> {
            AsyncContext context = request.startAsync();
            context.start(context::complete);
        })) {
            app.post("/").key("k").send();
            assertThat(last().getAttributes().get(OUTCOME)).isEqualTo("executed");
            SpanData run = last();
            app.post("/").key("k").send();
            assertThat(last().getAttributes().get(OUTCOME)).isEqualTo("replayed");
            assertThat(last().getLinks().get(0).getSpanContext().getSpanId()).isEqualTo(run.getSpanId());
        }
    }

    @Test
    void runThatWasNotSampled_isNotLinkedTo() throws Exception {
        try (TestApp first = TestApp.on(Container.JETTY)
                .tracing(tracing(Sampler.alwaysOff()))
                .serve((request, response) -> response.setStatus(204))) {
            first.post("/").key("k").send();
            try (TestApp second = app(Idempotency.atomic()).on(first.store).serve((request, response) -> {
                throw new AssertionError("runs again");
            })) {
                second.post("/").key("k").send();
            }
        }
        assertThat(spans.getFinishedSpanItems()).hasSize(1);
        assertThat(last().getAttributes().get(OUTCOME)).isEqualTo("replayed");
        assertThat(last().getLinks()).isEmpty();
    }
}
