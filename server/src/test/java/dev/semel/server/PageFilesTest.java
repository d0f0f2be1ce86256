package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture.Reply;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages, their files and the service worker are served to everyone. */
class PageFilesTest {

    private static final Pattern LINK = Pattern.compile("(?:src|href)=\"(/assets/[^\"]+)\"");
    private static final Pattern IMPORT = Pattern.compile("from \"(\\./|/assets/)([^\"]+)\"");
    private static final Pattern PATH = Pattern.compile("\"(/[^\"]*)\"");
    private static final int MOST_BYTES = 100_000;
    private static final ServerFixture SERVER = ServerFixture.onMemory();

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private static Reply get(String path, String... headers) {
        return SERVER.asNobody().get(path, headers);
    }

    private static Reply page(String path) {
        return get(path, "Accept", "text/html,application/xhtml+xml");
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult each) -> each.group(1))
                .toList();
    }

    private static List<String> kept() {
        String worker = get("/worker.js").text();
        return all(PATH, worker.substring(worker.indexOf("PATHS = ["), worker.indexOf("];")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/documents", "/collections", "/console"})
    void page_hasTheNavigation_andFilesOfItsVersion(String path) {
        Reply page = page(path);
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("Content-Type")).isEqualTo("text/html;charset=utf-8");
        assertThat(page.header("Content-Security-Policy"))
                .contains("script-src 'self'")
                .doesNotContain("unsafe");
        assertThat(page.text())
                .contains(
                        ">Feed</a>", ">Documents</a>", ">Collections</a>", ">Console</a>", "<a href=\"/docs\">API</a>")
                .containsOnlyOnce("aria-current=\"page\"")
                .contains("<a href=\"" + path + "\" aria-current=\"page\">")
                .doesNotContain("<style", " style=", " onclick=")
                .doesNotContainPattern("<script(?! type=\"module\" src=)");
        assertThat(all(LINK, page.text())).isNotEmpty().allSatisfy(link -> {
            assertThat(link).matches("/assets/pages/[0-9a-f]{16}/[a-z]+\\.[a-z]+");
            Reply file = get(link);
            assertThat(file.status()).isEqualTo(200);
            assertThat(file.header("Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
        });
        assertThat(get(path, "Accept", "text/html", "If-None-Match", page.header("ETag"))
                        .status())
                .isEqualTo(304);
    }

    @Test
    void root_isJsonForPrograms() {
        assertThat(get("/").header("Content-Type")).isEqualTo("application/json");
        assertThat(get("/").header("Vary")).isEqualTo("Accept");
        assertThat(page("/").header("Vary")).isEqualTo("Accept");
    }

    @Test
    void serviceWorker_keepsAllThatPagesNeed() {
        List<String> kept = kept();
        assertThat(kept).contains("/", "/documents", "/collections", "/console").doesNotHaveDuplicates();
        int bytes = 0;
        for (String path : kept) {
            Reply reply = page(path);
            assertThat(reply.status()).as(path).isEqualTo(200);
            assertThat(kept).as(path).containsAll(all(LINK, reply.text()));
            String folder = path.substring(0, path.lastIndexOf('/') + 1);
            IMPORT.matcher(reply.text())
                    .results()
                    .filter(each -> path.endsWith(".js") && !each.group(2).contains("docs"))
                    .map(each -> each.group(1).equals("./") ? folder + each.group(2) : "/assets/" + each.group(2))
                    .forEach(imported -> assertThat(kept).as(path).contains(imported));
            bytes += path.startsWith("/assets/pages/") ? reply.text().length() : 0;
        }
        assertThat(bytes).isLessThan(MOST_BYTES);
        assertThat(get("/worker.js").header("Cache-Control")).isEqualTo("no-cache");
    }

    @Test
    void filesOfAnotherVersion_areNotFound() {
        assertThat(get("/assets/pages/0123456789abcdef/feed.js").status()).isEqualTo(404);
        assertThat(get("/assets/pages/frame.html").status()).isEqualTo(404);
        assertThat(get("/assets/pages/..%2f..%2foutbox%2foutbox.js").status()).isEqualTo(404);
    }

    @Test
    void error_isAPageForABrowser_andJsonForPrograms() {
        Reply page = page("/nothing/%3Cscript%3E");
        assertThat(page.status()).isEqualTo(404);
        assertThat(page.header("Content-Type")).isEqualTo("text/html;charset=utf-8");
        assertThat(page.text()).contains("<h1>Not found</h1>", "Documents</a>").doesNotContain("<script");
        assertThat(get("/nothing").header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(get("/nothing").header("Vary")).isEqualTo("Accept");
        assertThat(page("/v1/feed/posts").status()).isEqualTo(401);
        assertThat(page("/v1/feed/posts").text()).contains("<h1>Unauthorized</h1>");
        assertThat(SERVER.as("ann")
                        .post("/v1/feed/posts", "{}", "Accept", "text/html")
                        .header("Content-Type"))
                .isEqualTo("application/problem+json");
    }

    @Test
    void text_isShownInTheDesign_asText() {
        String id = SERVER.as("ann")
                .post("/api/submit", "{\"title\":\"{main} <b>\",\"body\":\"$1 {title} <script>x</script>\"}")
                .text("id");
        Reply page = get("/p/" + id);
        assertThat(page.text())
                .contains("<h1 dir=\"auto\">{main} &lt;b&gt;</h1>", "$1 {title} &lt;script&gt;x", "Documents</a>")
                .doesNotContain("<script", "<b>");
    }
}
