package dev.semel.server.apps.textpile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.EndToEnd;
import dev.semel.server.ServerFixture.Reply;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextpileEndToEndTest extends EndToEnd {

    TextpileEndToEndTest(On on) {
        super(on);
    }

    @Test
    void submittedPost_isReadUnderItsId() {
        Reply made = as("ann").post("/api/submit", "{\"title\":\"Hello\",\"body\":\"world\",\"unknown\":1}");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().propertyNames()).containsExactly("id", "url", "createdAt");
        String id = made.text("id");
        Instant createdAt = Instant.parse(made.text("createdAt"));
        assertThat(id)
                .matches("^[0-9]{6}-[bcdfghjkmnpqrstvwxyz]{2,3}$")
                .startsWith(DateTimeFormatter.ofPattern("yyMMdd")
                        .withZone(ZoneOffset.UTC)
                        .format(createdAt));
        assertThat(made.text("url")).isEqualTo("/p/" + id);

        Reply post = as("bob").get("/api/posts/" + id);
        assertThat(post.status()).isEqualTo(200);
        assertThat(post.text())
                .isEqualTo("{\"id\":\"%s\",\"createdAt\":\"%s\",\"title\":\"Hello\",\"body\":\"world\"}"
                        .formatted(id, made.text("createdAt")));
    }

    @Test
    void page_isForEverybodyAndEscaped() {
        String hostile = "</pre><script>alert('1')</script> & \\\"more\\\"";
        Reply made = as("ann").post("/api/submit", "{\"title\":\"" + hostile + "\",\"body\":\"" + hostile + "\"}");
        Reply page = asNobody().get(made.text("url"));
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("Content-Type")).isEqualToIgnoringCase("text/html;charset=utf-8");
        assertThat(page.header("Content-Security-Policy")).contains("default-src 'none'");
        assertThat(page.text())
                .contains("<title>&lt;/pre&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;more&quot;")
                .doesNotContain("<script", "alert('", "allocToken");
    }

    @Test
    void retryWithTheKey_makesOnePost() {
        Reply first = as("ann").post("/api/submit", "{\"body\":\"x\"}", "Idempotency-Key", "k1");
        assertReplayed(first, as("ann").post("/api/submit", "{ \"body\" : \"x\" }", "Idempotency-Key", "\"k1\""));
        Reply other = as("ann").post("/api/submit", "{\"body\":\"y\"}", "Idempotency-Key", "k1");
        assertThat(other.status()).isEqualTo(422);
        assertThat(other.text("error")).isEqualTo("Idempotency key reused with different payload");
        Reply another = as("bob").post("/api/submit", "{\"body\":\"x\"}", "Idempotency-Key", "k1");
        assertThat(another.text("id")).isNotEqualTo(first.text("id"));
        Reply malformed = as("ann").post("/api/submit", "{\"body\":\"x\"}", "Idempotency-Key", "a b");
        assertThat(malformed.status()).isEqualTo(400);
        assertThat(malformed.text("error")).isEqualTo("Invalid Idempotency-Key format");
    }

    @Test
    void emptyTitle_isNone() {
        for (String title : List.of("\"\"", "\" \"", "null")) {
            Reply made = as("ann").post("/api/submit", "{\"title\":" + title + ",\"body\":\"x\"}");
            assertThat(made.status()).isEqualTo(201);
            assertThat(as("ann").get("/api/posts/" + made.text("id")).json().has("title"))
                    .isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|body",
                "{\"body\":1}|body",
                "{\"body\":null}|body",
                "{\"body\":\"\"}|body",
                "{\"body\":\"x\",\"title\":[]}|title"
            })
    void malformedPost_isRejectedByField(String body, String field) {
        assertInvalid(as("ann").post("/api/submit", body), field);
    }

    @Test
    void missingPost_isNotFound() {
        assertProblem(as("ann").get("/api/posts/260107-bc"), 404, "not_found");
        assertProblem(as("ann").get("/api/posts/nonsense"), 404, "not_found");
        assertProblem(asNobody().get("/p/260107-bc"), 404, "not_found");
    }

    @Test
    void withoutToken_onlyThePageIsServed() {
        assertThat(asNobody().post("/api/submit", "{\"body\":\"x\"}").status()).isEqualTo(401);
        assertThat(asNobody().get("/api/posts/260107-bc").status()).isEqualTo(401);
    }
}
