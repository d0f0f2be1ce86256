package dev.semel.server;

import dev.semel.server.web.Answer;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Says what there is to try. */
final class Home implements App {

    private static final String TOKEN =
            "curl -s %s/v1/dev/token -H 'Content-Type: application/json' -d '{\"user\":\"ann\"}'";
    private static final String FIRST = "TOKEN=$(" + TOKEN + " | cut -d'\"' -f4)";
    private static final String SECOND = "curl -i %s/api/submit -H \"Authorization: Bearer $TOKEN\""
            + " -H 'Content-Type: application/json' -H 'Idempotency-Key: my-first-key' -d '{\"body\":\"Hello\"}'";

    private final boolean devMode;
    private final Routes routes;
    private volatile String place = "";

    Home(boolean devMode, Routes routes) {
        this.devMode = devMode;
        this.routes = routes;
    }

    /** @param place what to give curl */
    void listensOn(String place) {
        this.place = place;
    }

    /** Commands to try, in their order; repeated, the last is answered from the record. */
    List<String> commands() {
        String first = devMode ? FIRST.formatted(place) : "TOKEN=…";
        return List.of(first, SECOND.formatted(place));
    }

    @Override
    public void declare(Routes routes) {
        routes.getOpen("/", this::home);
    }

    private Answer home(Request request) {
        boolean page = request.header("Accept").orElse("").contains("text/html");
        return (page ? Answer.html(page()) : Answer.ok(json())).with("Vary", "Accept");
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
        commands().forEach(command -> page.append(escape(command)).append('\n'));
        page.append(
                "</pre><p>Run the last one again: the answer comes from the record, and says so.</p><h2>What there is</h2>"
                        + "<p><a href=\"docs\">All of it, to read and to try out</a>, or <a href=\"openapi.json\">for programs</a>.</p><ul>");
        routes.all()
                .forEach(route -> page.append("<li><code>")
                        .append(escape(route.method() + " " + route.pattern()))
                        .append("</code></li>"));
        return page.append("</ul></html>").toString();
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
