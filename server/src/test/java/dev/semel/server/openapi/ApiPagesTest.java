package dev.semel.server.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture;
import dev.semel.server.ServerFixture.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The API description and its page, as browsers load them. */
class ApiPagesTest {

    private static final ServerFixture SERVER = ServerFixture.onMemory();
    private static final Pattern LINK = Pattern.compile("(?:src|href)=\"([^\"]*)\"");

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private static Reply get(String path, String... headers) {
        return SERVER.asNobody().get(path, headers);
    }

    @Test
    void page_isMadeOfFilesThatAreThere() {
        Reply page = get("/docs");
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("Content-Type")).isEqualTo("text/html;charset=utf-8");
        List<String> links = new ArrayList<>();
        for (Matcher link = LINK.matcher(page.text()); link.find(); ) {
            links.add(link.group(1));
        }
        assertThat(links).contains("openapi.json", "docs/swagger-ui.css", "docs/docs.js");
        for (String link : links) {
            if (!link.startsWith("data:")) {
                Reply file = get("/" + link);
                assertThat(file.status()).as(link).isEqualTo(200);
                assertThat(file.header("Content-Type"))
                        .as(link)
                        .startsWith(
                                link.endsWith(".js")
                                        ? "text/javascript"
                                        : link.endsWith(".css") ? "text/css" : "application/json");
            }
        }
        assertThat(page.text()
                        + get("/docs/docs.js").text()
                        + get("/docs/docs.css").text())
                .doesNotContain("http:", "https:", "\"//");
        assertThat(get("/docs/swagger-ui.css").text()).doesNotContain("@import", "url(http", "url(//");
    }

    @Test
    void scripts_comeFromFilesAlone() {
        Reply page = get("/docs");
        assertThat(page.header("Content-Security-Policy"))
                .contains("default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("http", "*", "unsafe");
        assertThat(page.text()).doesNotContain("<script>", "<style", "onload=", "style=");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/openapi.json", "/docs", "/docs/swagger-ui-bundle.js"})
    void cachedFile_isNotSentAgain(String path) {
        Reply first = get(path);
        assertThat(first.header("Cache-Control")).isEqualTo("no-cache");
        String tag = first.header("ETag");
        for (String known : List.of(tag, "W/" + tag, "\"other\", " + tag, "*")) {
            Reply again = get(path, "If-None-Match", known);
            assertThat(again.status()).isEqualTo(304);
            assertThat(again.text()).isEmpty();
            assertThat(again.header("ETag")).isEqualTo(tag);
        }
        assertThat(get(path, "If-None-Match", "\"other\"").status()).isEqualTo(200);
        Reply head = SERVER.asNobody().send("HEAD", path, "");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.text()).isEmpty();
        assertThat(head.header("ETag")).isEqualTo(tag);
        assertThat(head.header("Content-Length")).isEqualTo(first.header("Content-Length"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/docs/",
                "/docs/index.html",
                "/docs/docs.html",
                "/docs/swagger-ui.js",
                "/docs/..%2Fopenapi.json",
                "/docs/%2Fetc%2Fpasswd",
                "/docs/..%5C..%5Copenapi.json",
                "/docs/docs.js%2F..%2Fdocs.css",
                "/docs/openapi/docs.js",
                "/docs/..%252Fdocs.js",
                "/docs/ApiPages.class",
                "/docs/DOCS.JS"
            })
    void otherFiles_areNotServed(String path) {
        assertThat(get(path).status()).isIn(400, 404);
    }

    @Test
    void home_leadsThere() {
        assertThat(get("/").text("docs")).isEqualTo("/docs");
        assertThat(get("/", "Accept", "text/html").text()).contains("href=\"/docs\"");
    }
}
