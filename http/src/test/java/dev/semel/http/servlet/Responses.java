package dev.semel.http.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;

/** Accessors and assertions for responses. */
final class Responses {

    private Responses() {}

    static String text(HttpResponse<byte[]> reply) {
        return new String(reply.body(), UTF_8);
    }

    static String header(HttpResponse<?> reply, String name) {
        return reply.headers().firstValue(name).orElse("");
    }

    static boolean isReplay(HttpResponse<?> reply) {
        return header(reply, "Idempotency-Replayed").equals("true");
    }

    static void assertProblem(HttpResponse<byte[]> reply, int status, String code, String error) {
        assertThat(reply.statusCode()).as(text(reply)).isEqualTo(status);
        assertThat(header(reply, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(text(reply))
                .startsWith("{\"type\":\"urn:semel:problem:" + code + "\"")
                .contains("\"status\":" + status)
                .contains("\"code\":\"" + code + "\"")
                .contains("\"error\":\"" + error + "\"");
    }
}
