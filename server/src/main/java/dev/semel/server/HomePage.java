package dev.semel.server;

import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.Html;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The home page: commands to try, and all routes. */
final class HomePage implements App {

    private static final String TOKEN =
            "curl -s %s/v1/dev/token -H 'Content-Type: application/json' -d '{\"user\":\"ann\"}'";
    private static final String FIRST = "TOKEN=$(" + TOKEN + " | cut -d'\"' -f4)";
    private static final String SECOND = "curl -i %s/api/submit -H \"Authorization: Bearer $TOKEN\""
            + " -H 'Content-Type: application/json' -H 'Idempotency-Key: my-first-key' -d '{\"body\":\"Hello\"}'";

    private final boolean devMode;
    private final Routes routes;
    private volatile String baseUrl = "";

    HomePage(boolean devMode, Routes routes) {
        this.devMode = devMode;
        this.routes = routes;
    }

    /** @param baseUrl for curl */
    void listensOn(String baseUrl) {
        this.baseUrl = baseUrl;
    }

    /** Commands to try, in their order; a repetition of the last is replayed. */
    List<String> commands() {
        String first = devMode ? FIRST.formatted(baseUrl) : "TOKEN=…";
        return List.of(first, SECOND.formatted(baseUrl));
    }

    @Override
    public void declare(Routes routes) {
        routes.getOpen("/", this::home);
    }

    private ApiResponse home(Request request) {
        boolean page = request.header("Accept").orElse("").contains("text/html");
        return (page ? ApiResponse.html(page()) : ApiResponse.ok(json())).with("Vary", "Accept");
    }

    private ObjectNode json() {
        ObjectNode json = JsonText.object().put("name", "semel").put("mode", devMode ? "dev" : "auth");
        json.put("docs", "/docs").put("openapi", "/openapi.json");
        ArrayNode commands = json.putArray("try");
        commands().forEach(commands::add);
        ArrayNode all = json.putArray("routes");
        routes.all().forEach(route -> all.add(route.method() + " " + route.pattern()));
        return json;
    }

    private String page() {
        StringBuilder page = new StringBuilder(
                "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Semel</title>"
                        + "<style>body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
                        + "pre{background:#f4f4f4;padding:1rem;overflow:auto}</style>"
                        + "<h1>Semel</h1><p>Every write happens once, although clients retry. Try it in a shell:</p><pre>");
        commands().forEach(command -> page.append(Html.escape(command)).append('\n'));
        page.append(
                "</pre><p>Run the last one again: the response is replayed, and its headers show it.</p><h2>Routes</h2>"
                        + "<p><a href=\"docs\">API documentation</a>, and <a href=\"openapi.json\">the OpenAPI description</a>.</p><ul>");
        routes.all()
                .forEach(route -> page.append("<li><code>")
                        .append(Html.escape(route.method() + " " + route.pattern()))
                        .append("</code></li>"));
        return page.append("</ul></html>").toString();
    }
}
