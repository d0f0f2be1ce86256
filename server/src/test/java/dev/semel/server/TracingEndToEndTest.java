package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture.Reply;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Spans as an OpenTelemetry agent exports them. */
class TracingEndToEndTest extends EndToEnd {

    private static final InMemorySpanExporter SPANS = InMemorySpanExporter.create();
    private static final String POST = "{\"text\":\"s3cret\"}";

    TracingEndToEndTest(On on) {
        super(on);
    }

    @BeforeAll
    static void trace() {
        GlobalOpenTelemetry.resetForTest();
        GlobalOpenTelemetry.set(OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(SPANS))
                        .build())
                .build());
    }

    @AfterAll
    static void stopTracing() {
        GlobalOpenTelemetry.resetForTest();
    }

    @Test
    void replay_linksToTheTraceOfTheFirstRun() {
        SPANS.reset();
        String[] headers = {"Idempotency-Key", "s3cret-key", "X-Client-Tx-Id", "s3cret-tx"};
        Reply first = as("s3cret-ann").post("/v1/feed/posts", POST, headers);
        Reply second = as("s3cret-ann").post("/v1/feed/posts", POST, headers);
        assertReplayed(first, second);
        assertThat(second.header("Semel-Trace")).isEmpty();

        List<SpanData> spans = SPANS.getFinishedSpanItems();
        assertThat(spans).hasSize(2);
        assertThat(spans.stream().map(SpanData::getName)).containsOnly("once /v1/feed/posts");
        assertThat(spans.stream().map(span -> span.getAttributes().get(AttributeKey.stringKey("semel.once.outcome"))))
                .containsExactly("executed", "replayed");
        assertThat(spans.get(0).getLinks()).isEmpty();
        assertThat(spans.get(1).getLinks()).singleElement().satisfies(link -> {
            assertThat(link.getSpanContext().getTraceId())
                    .isEqualTo(spans.get(0).getTraceId());
            assertThat(link.getSpanContext().getSpanId()).isEqualTo(spans.get(0).getSpanId());
        });
        assertThat(spans.toString()).doesNotContain("s3cret");
    }
}
