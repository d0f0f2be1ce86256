package dev.semel.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;

/** What tests say of answers. */
final class Answers {

    private Answers() {}

    static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), UTF_8);
    }

    static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("");
    }

    static boolean isReplay(HttpResponse<?> answer) {
        return header(answer, "Idempotency-Replayed").equals("true");
    }

    static void assertProblem(HttpResponse<byte[]> answer, int status, String code, String error) {
        assertThat(answer.statusCode()).as(text(answer)).isEqualTo(status);
        assertThat(header(answer, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(text(answer))
                .startsWith("{\"type\":\"urn:semel:problem:" + code + "\"")
                .contains("\"status\":" + status)
                .contains("\"code\":\"" + code + "\"")
                .contains("\"error\":\"" + error + "\"");
    }
}
