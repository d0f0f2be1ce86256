package dev.semel.server.openapi;

import dev.semel.http.Idempotency;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Routes;
import dev.semel.server.web.Routes.Access;
import dev.semel.server.web.Routes.Route;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The OpenAPI description of a server. Each system describes its operations in a resource. This class adds what follows from the routes:
 * authentication, idempotency headers and errors. So a route and its description cannot contradict each other. Operations without a route
 * are omitted.
 */
public final class Description {

    private static final String COMPONENTS = "#/components/";
    private static final String PROBLEMS = "problems";
    private static final String PARAMETERS = "parameters";
    private static final String HEADERS = "headers";
    private static final String RESPONSES = "responses";
    private static final String REFERENCE = "$ref";

    private final ObjectNode fragments = Fragments.all();
    private final ObjectNode components = (ObjectNode) fragments.get("components");
    private final Problems problems = new Problems(fragments.get(PROBLEMS));
    private final Routes routes;
    private final boolean devMode;

    private Description(Routes routes) {
        this.routes = routes;
        this.devMode = routes.find("POST", "/v1/dev/token").isPresent();
    }

    /** Returns the OpenAPI document for the given routes. */
    public static ObjectNode of(Routes routes) {
        return new Description(routes).described();
    }

    /** Returns a reference to a component. */
    static ObjectNode reference(String group, String name) {
        return JsonText.object().put(REFERENCE, COMPONENTS + group + "/" + name);
    }

    private ObjectNode described() {
        ObjectNode paths = JsonText.object();
        for (Route route : routes.all()) {
            JsonNode path = fragments.get("paths").path(route.pattern());
            String method = route.method().toLowerCase(Locale.ROOT);
            if (path.get(method) instanceof ObjectNode operation) {
                ObjectNode item = paths.withObjectProperty(route.pattern());
                if (path.has(PARAMETERS)) {
                    item.set(PARAMETERS, path.get(PARAMETERS));
                }
                item.set(method, operation(route, operation));
            }
        }
        components.withObjectProperty(RESPONSES).setAll(problems.responses());
        components.withObjectProperty("examples").setAll(problems.examples());
        return JsonText.object()
                .set("openapi", fragments.get("openapi"))
                .set("info", fragments.get("info"))
                .set("servers", fragments.get("servers"))
                .set("tags", tags(paths))
                .set("paths", paths)
                .set("components", used(paths));
    }

    private ObjectNode operation(Route route, ObjectNode written) {
        List<JsonNode> kinds = kinds(route);
        ArrayNode parameters = written.withArrayProperty(PARAMETERS);
        Set<String> headers = new LinkedHashSet<>();
        Set<String> possible = new LinkedHashSet<>();
        for (JsonNode kind : kinds) {
            kind.path(PARAMETERS).forEach(name -> parameters.add(reference(PARAMETERS, name.stringValue())));
            kind.path(HEADERS).forEach(name -> headers.add(name.stringValue()));
            kind.path(PROBLEMS).forEach(name -> possible.add(name.stringValue()));
        }
        written.path(PROBLEMS).forEach(name -> possible.add(name.stringValue()));
        written.remove(PROBLEMS);
        ArrayNode security =
                written.withArrayProperty("security"); // an operation may declare other ways to send a token
        if (needsToken(route)) {
            security.addObject().putArray("bearer");
        }
        ObjectNode responses = written.withObjectProperty(RESPONSES);
        for (Map.Entry<String, JsonNode> response : responses.properties()) {
            response.setValue(described(resolved(response.getValue()), headers, isKeyed(route)));
        }
        problems.describe(responses, possible, headers);
        return written;
    }

    /** Returns the fragments that apply to a route because of its method, access and idempotency. */
    private List<JsonNode> kinds(Route route) {
        List<String> names = new ArrayList<>(List.of("any"));
        if (devMode) {
            names.add("dev");
        }
        if (needsToken(route)) {
            names.add("token");
        }
        if (route.access() == Access.OPERATORS) {
            names.add("operator");
        }
        if (!route.method().equals("GET")) {
            names.add("body");
        }
        if (isKeyed(route)) {
            names.add("keyed");
            names.add(route.idempotency().keyRequired() ? "requiredKey" : "optionalKey");
        }
        if (route.idempotency().mode() == Idempotency.Mode.LEASED) {
            names.add("leased");
        }
        return names.stream().map(fragments.get("kinds")::path).toList();
    }

    private static boolean needsToken(Route route) {
        return route.access() != Access.PUBLIC;
    }

    private static boolean isKeyed(Route route) {
        return route.idempotency().mode() != Idempotency.Mode.NONE;
    }

    private JsonNode resolved(JsonNode response) {
        return response.has(REFERENCE)
                ? fragments.at(response.get(REFERENCE).stringValue().substring(1))
                : response;
    }

    /**
     * Adds the common headers to a response. If it can be replayed, also adds the problem that replaces a response that was too large to
     * keep.
     */
    private static ObjectNode described(JsonNode written, Set<String> headers, boolean mayBeReplayed) {
        ObjectNode response = (ObjectNode) written.deepCopy();
        ObjectNode sent = response.withObjectProperty(HEADERS);
        headers.forEach(name -> sent.set(name, reference(HEADERS, name)));
        if (mayBeReplayed && response.get("content") instanceof ObjectNode content) {
            content.putObject(Problems.MEDIA_TYPE).set("schema", reference("schemas", "NotKept"));
        }
        return response;
    }

    /** Returns the tags that occur in the operations. */
    private ArrayNode tags(ObjectNode paths) {
        Set<String> named = new TreeSet<>(paths.findValues("tags").stream()
                .map(tags -> tags.get(0).stringValue())
                .toList());
        ArrayNode tags = JsonText.object().putArray("tags");
        fragments.get("tags").forEach(tag -> {
            if (named.contains(tag.get("name").stringValue())) {
                tags.add(tag);
            }
        });
        return tags;
    }

    /** Returns the components that the paths refer to, directly or indirectly. */
    private ObjectNode used(ObjectNode paths) {
        ObjectNode used = JsonText.object().set("securitySchemes", components.get("securitySchemes"));
        Set<String> references = new TreeSet<>();
        Deque<JsonNode> unread = new ArrayDeque<>(List.of(paths));
        while (!unread.isEmpty()) {
            for (String reference : unread.remove().findValuesAsString(REFERENCE)) {
                if (references.add(reference)) {
                    unread.add(component(reference));
                }
            }
        }
        for (String reference : references) {
            String[] groupAndName = reference.substring(COMPONENTS.length()).split("/", 2);
            used.withObjectProperty(groupAndName[0]).set(groupAndName[1], component(reference));
        }
        return used;
    }

    private JsonNode component(String reference) {
        JsonNode component = components.at(reference.substring(COMPONENTS.length() - 1));
        if (component.isMissingNode()) {
            throw new IllegalStateException("There is no " + reference);
        }
        return component;
    }
}
