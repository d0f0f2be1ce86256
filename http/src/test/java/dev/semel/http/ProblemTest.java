package dev.semel.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProblemTest {

    @Test
    void problem_isJson() {
        Problem problem = Problem.of(409, "stale", "Stale \"thing\"").detailed("<é>");
        assertThat(new String(problem.toJson(), UTF_8))
                .isEqualTo("{\"type\":\"urn:semel:problem:stale\",\"title\":\"Stale \\\"thing\\\"\",\"status\":409,"
                        + "\"detail\":\"<é>\",\"code\":\"stale\",\"error\":\"Stale \\\"thing\\\"\"}");
    }

    @Test
    void furtherMembers_areTextsNumbersAndBooleans() {
        assertThat(new String(Problem.of(400, "c", "e").with("n", 7).toJson(), UTF_8))
                .endsWith(",\"n\":7}");
        assertThat(new String(Problem.of(400, "c", "e").with("b", true).toJson(), UTF_8))
                .endsWith(",\"b\":true}");
        assertThat(new String(Problem.of(400, "c", "e").with("t", "x").toJson(), UTF_8))
                .endsWith(",\"t\":\"x\"}");
    }

    @Test
    void retryAfter_isInMilliseconds() {
        assertThat(new String(
                        IdempotencyProblem.IN_PROGRESS
                                .retryAfter(Duration.ofMillis(1500))
                                .toJson(),
                        UTF_8))
                .endsWith(",\"retry_after\":1500}");
    }

    @Test
    void everyProblem_isInTheTableOfTheDocs() throws Exception {
        String page = Files.readString(Path.of("../docs/guides/filter.md"));
        for (IdempotencyProblem problem : IdempotencyProblem.values()) {
            int status = problem.problem().status();
            String shown = problem == IdempotencyProblem.RESPONSE_NOT_KEPT ? "as recorded" : "" + status;
            assertThat(page)
                    .contains("| " + shown + " | `" + problem.code() + "` | `"
                            + problem.problem().error() + "` |");
        }
    }

    @Test
    void invalidSettings_areNamed() {
        assertThatThrownBy(() -> new FilterSettings(-1, 0, 0)).hasMessageStartingWith("requestLimit");
        assertThatThrownBy(() -> new FilterSettings(0, -1, 0)).hasMessageStartingWith("streamAfter");
        assertThatThrownBy(() -> new FilterSettings(0, 0, Integer.MAX_VALUE)).hasMessageStartingWith("responseLimit");
        assertThatThrownBy(() -> new FilterSettings(0, 0, 0, -1)).hasMessageStartingWith("waiting");
    }
}
