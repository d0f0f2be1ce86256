package dev.semel.server;

import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The root: the feed page for browsers; an example to try and all routes for programs. */
final class HomePage implements App {

    /** The quick start in README.md. The second call is replayed, and the third is rejected. */
    private static final String FUNCTION = """
            pay() {
              curl -si %s/v1/collections/payments/records -d "$2" \\
                -H "Authorization: Bearer $TOKEN" -H "Idempotency-Key: $1" | grep -E 'HTTP|Idempotency|amount'
            }""";

    private static final List<String> CALLS =
            List.of("pay key-1 '{\"amount\":100}'", "pay key-1 '{\"amount\":100}'", "pay key-1 '{\"amount\":999}'");

    private final boolean devMode;
    private final Routes routes;
    private final PageFiles pages;
    private volatile String baseUrl = "";

    HomePage(boolean devMode, Routes routes, PageFiles pages) {
        this.devMode = devMode;
        this.routes = routes;
        this.pages = pages;
    }

    /**
     * Sets the address that the example uses.
     *
     * @param url scheme, host and port of the server
     */
    void listensOn(String url) {
        this.baseUrl = url.replaceFirst("//(0\\.0\\.0\\.0|\\[::])(?=:)", "//localhost");
    }

    /** Returns the commands of the example, for a shell. */
    List<String> commands() {
        String token = devMode
                ? "TOKEN=$(curl -s " + baseUrl + "/v1/dev/token -d '{\"user\":\"ann\"}' | cut -d '\"' -f 4)"
                : "TOKEN=…";
        List<String> commands = new ArrayList<>(List.of(token, FUNCTION.formatted(baseUrl)));
        commands.addAll(CALLS);
        return commands;
    }

    @Override
    public void declare(Routes routes) {
        routes.getOpen("/", this::home);
    }

    private ApiResponse home(Request request) {
        boolean page = request.header("Accept").orElse("").contains("text/html");
        return (page ? pages.feed(request) : ApiResponse.ok(json())).with("Vary", "Accept");
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
}
