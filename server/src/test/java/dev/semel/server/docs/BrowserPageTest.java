package dev.semel.server.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.sun.net.httpserver.HttpServer;
import dev.semel.memory.MemoryStore;
import dev.semel.server.Apps;
import dev.semel.server.ServerFixture;
import dev.semel.store.Time;
import dev.semel.testkit.Eventually;
import dev.semel.web.Chromium;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of the page about the browser outbox work in Chromium. */
class BrowserPageTest {

    /** The guide whose page and script are run. */
    static final Path PAGE = Repository.ROOT.resolve("docs/guides/browser-outbox.md");

    private static final Pattern HTML = Pattern.compile("```html\n(.*?)```", Pattern.DOTALL);
    private static final Pattern SCRIPT = Pattern.compile("```js\n(.*?)```", Pattern.DOTALL);

    /** A web site with one page. */
    private record Site(HttpServer server) implements AutoCloseable {

        static Site start() throws IOException {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.start();
            return new Site(server);
        }

        void show(String html) {
            server.createContext("/", exchange -> {
                try (exchange) {
                    exchange.getResponseHeaders().set("Content-Type", "text/html");
                    exchange.sendResponseHeaders(200, 0);
                    exchange.getResponseBody().write(html.getBytes(UTF_8));
                }
            });
        }

        String origin() {
            return "http://localhost:" + server.getAddress().getPort();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    private static String example(Pattern kind) throws Exception {
        Matcher found = kind.matcher(Files.readString(PAGE));
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    @Test
    void examplePage_savesNotes_andAsksBeforeSigningOut() throws Exception {
        Site site = Site.start();
        try (site;
                Chromium chromium = Chromium.find();
                ServerFixture server = ServerFixture.on(
                        new MemoryStore(),
                        Time.system(),
                        Apps::all,
                        settings -> settings.withCorsOrigins(Set.of(site.origin())));
                Browser browser = chromium.start()) {
            site.show(example(HTML).replace(":8080", ":" + server.server().port()));
            Page page = browser.newPage();
            page.navigate(site.origin());
            page.getByLabel("Note").fill("<b>milk</b>");
            page.getByText("Save").click();
            Eventually.assertHolds(
                    () -> assertThat(page.locator("li").allTextContents()).containsExactly("<b>milk</b>: confirmed"));
            List<String> posts = new ArrayList<>();
            server.as("bob")
                    .get("/v1/feed/posts")
                    .json()
                    .get("items")
                    .forEach(post -> posts.add(post.get("author").stringValue() + ": "
                            + post.get("text").stringValue()));
            assertThat(posts).containsExactly("ann: <b>milk</b>");
            String closed = "async () => { const { Outbox } = await import('http://localhost:"
                    + server.server().port()
                    + "/assets/outbox/outbox.js'); const outbox = new Outbox({ user: 'ann' }); " + example(SCRIPT)
                    + " return outbox.add({ endpoint: '/' }).catch(({ code }) => code) }";
            assertThat(page.evaluate(closed)).isEqualTo("closed");
        }
    }
}
