package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.once.Once;
import dev.semel.server.ServerFixture;
import example.WebApplication;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The quick starts of the README work when they are pasted, and its figures are measured. {@link SnippetIT} runs that of the library. */
class QuickStartIT {

    static final Path PAGE = Repository.ROOT.resolve("README.md");

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\n(.*?)^```$");

    /** Cells of a table row: text, figures with a link, command. */
    private static final Pattern MEASURED = Pattern.compile(
            "(?m)^\\|([^|]*)\\|([^|]*\\]\\((docs/benchmarks/\\w+\\.md)\\)[^|]*)\\| `./semel bench (\\w+)` \\|$");

    private static final Pattern FIGURE = Pattern.compile("\\d+,\\d{3}|\\d\\.\\d\\d ×");

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh"})
    void server_postsReplaysAndRejects(String shell) throws Exception {
        Assumptions.assumeTrue(
                Repository.bash(Repository.ROOT, "command -v " + shell).status() == 0, shell + " is not installed");
        try (ServerFixture server = ServerFixture.onMemory()) {
            String pasted = block("bash")
                    .replace("localhost:8080", "localhost:" + server.server().port());
            Repository.Printed printed =
                    Repository.bash(Repository.ROOT, shell + " <<'PASTED' | tr -d '\\r'\n" + pasted + "PASTED");
            Shape.assertSame("README.md", block("text"), printed.text());
        }
    }

    /** Interactive shells expand an exclamation mark, and zsh runs comments. */
    @Test
    void server_canBePasted_andNeedsNoNewCurl() throws Exception {
        assertThat(block("bash")).doesNotContain("--json", "#", "!").doesNotContainPattern("(?m)^\\$ ");
    }

    @Test
    void filter_isShownAsItIs() throws Exception {
        String source = Files.readString(Repository.ROOT.resolve("server/src/test/java/example/WebApplication.java"));
        String shown = source.substring(source.indexOf("// page: filter\n") + 16, source.indexOf("    // end"));
        assertThat(block("Java")).isEqualTo(shown.indent(-4).replace("public static", "static"));
    }

    @Test
    void filter_runsARequestOnce() throws Exception {
        List<String> payments = new ArrayList<>();
        Server jetty = new Server(0);
        jetty.setHandler(application(payments));
        jetty.start();
        try {
            URI uri = URI.create("http://localhost:" + jetty.getURI().getPort() + "/payments");
            assertThat(post(uri, "100").statusCode()).isEqualTo(201);
            HttpResponse<String> retry = post(uri, "100");
            assertThat(retry.statusCode()).isEqualTo(201);
            assertThat(retry.headers().firstValue("Idempotency-Replayed")).hasValue("true");
            assertThat(post(uri, "999").statusCode()).isEqualTo(422);
            assertThat(payments).containsExactly("100");
        } finally {
            jetty.stop();
        }
    }

    private static ServletContextHandler application(List<String> payments) {
        ServletContextHandler application = new ServletContextHandler();
        Filter authentication = (request, response, chain) -> chain.doFilter(
                new HttpServletRequestWrapper((HttpServletRequest) request) {
                    @Override
                    public String getRemoteUser() {
                        return "ann";
                    }
                },
                response);
        application.addFilter(authentication, "/*", EnumSet.of(DispatcherType.REQUEST));
        application.addEventListener(new ServletContextListener() {
            @Override
            public void contextInitialized(ServletContextEvent event) {
                WebApplication.addIdempotency(event.getServletContext(), Once.on(new MemoryStore()));
            }
        });
        HttpServlet servlet = new HttpServlet() {
            @Override
            protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
                payments.add(request.getReader().readLine());
                response.setStatus(201);
            }
        };
        application.addServlet(servlet, "/*");
        return application;
    }

    private static HttpResponse<String> post(URI uri, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Idempotency-Key", "key-1")
                .POST(BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }

    @Test
    void quickStarts_areShorterThanTwentyLines() throws Exception {
        List<String> kinds = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(Files.readString(PAGE));
        while (blocks.find()) {
            kinds.add(blocks.group(1));
            assertThat(blocks.group(2).lines()).hasSizeLessThan(20);
        }
        assertThat(kinds).containsExactly("bash", "text", "java", "Java");
    }

    @Test
    void figures_areThoseOfTheBenchmarks() throws Exception {
        Matcher rows = MEASURED.matcher(Files.readString(PAGE));
        int found = 0;
        while (rows.find()) {
            String page = Files.readString(Repository.ROOT.resolve(rows.group(3)));
            assertThat(page).contains("`./semel bench " + rows.group(4) + "`");
            List<String> figures = FIGURE.matcher(rows.group(2))
                    .results()
                    .map(figure -> figure.group())
                    .toList();
            assertThat(figures).hasSize(2).allSatisfy(figure -> assertThat(page).contains(figure));
            found++;
        }
        assertThat(found).isEqualTo(3);
    }

    private static String block(String kind) throws IOException {
        Matcher blocks = BLOCK.matcher(Files.readString(PAGE));
        while (blocks.find()) {
            if (blocks.group(1).equals(kind)) {
                return blocks.group(2);
            }
        }
        throw new AssertionError("no block of " + kind);
    }
}
