package dev.semel.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a retry is answered. */
@ParameterizedClass
@EnumSource(Web.class)
class ReplayTest {

    private final Web web;

    ReplayTest(Web web) {
        this.web = web;
    }

    @Test
    void retry_isAnsweredByteForByte() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (Site site = Site.on(web).serve((request, response) -> {
            runs.incrementAndGet();
            response.setStatus(201);
            response.setContentType("application/json");
            response.getOutputStream().write(request.getInputStream().readAllBytes());
        })) {
            HttpResponse<byte[]> first =
                    site.post("/things").key("k").json("{\"a\": \"é\"}").send();
            HttpResponse<byte[]> again = site.post("/things")
                    .key("\"k\"")
                    .json("{ \"a\":\"\\u00e9\" }")
                    .send();
            assertThat(first.statusCode()).isEqualTo(201);
            assertThat(new String(first.body(), UTF_8)).isEqualTo("{\"a\": \"é\"}");
            assertThat(first.headers().firstValue("Idempotency-Expires")).hasValue("2026-01-08T12:00:00Z");
            assertThat(first.headers().firstValue("Idempotency-Replayed")).isEmpty();
            assertThat(again.statusCode()).isEqualTo(201);
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
            assertThat(again.headers().firstValue("Content-Type"))
                    .isEqualTo(first.headers().firstValue("Content-Type"));
            assertThat(runs).hasValue(1);
        }
    }
}
