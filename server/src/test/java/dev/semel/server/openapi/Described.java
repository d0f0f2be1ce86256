package dev.semel.server.openapi;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.dialect.Dialects;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * The API description of a server, and checks of requests and responses against it. A response must not have a status, header, content type
 * or member that is not described. A request must not succeed if the description does not allow it.
 */
public final class Described {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final String BASE = "https://semel.test/openapi.json";
    private static final String SCHEMAS = "#/components/schemas/";

    /** Headers of HTTP itself, and security headers of every response. All others must be described. */
    private static final Set<String> NOT_OURS = Set.of(
            "access-control-allow-origin",
            "access-control-expose-headers",
            "allow",
            "cache-control",
            "connection",
            "content-length",
            "content-security-policy",
            "content-type",
            "cross-origin-embedder-policy",
            "cross-origin-opener-policy",
            "cross-origin-resource-policy",
            "date",
            "permissions-policy",
            "referrer-policy",
            "strict-transport-security",
            "transfer-encoding",
            "vary",
            "x-content-type-options",
            "x-frame-options");

    private static final Map<String, Described> KNOWN = new ConcurrentHashMap<>();

    private final JsonNode api;
    private final Schemas asked;
    private final Schemas answered;
    private final List<Operation> operations = new ArrayList<>();

    private Described(String text) {
        String self = text.replace("\"$ref\":\"" + SCHEMAS, "\"$ref\":\"" + BASE + SCHEMAS);
        this.api = MAPPER.readTree(self);
        this.asked = new Schemas(api, schema -> schema);
        this.answered = new Schemas(api, schema -> closed(schema.deepCopy()));
        api.get("paths")
                .properties()
                .forEach(path -> path.getValue().properties().stream()
                        .filter(method -> !method.getKey().equals("parameters"))
                        .forEach(method -> operations.add(operation(path.getKey(), path.getValue(), method.getKey()))));
    }

    /** Parses a description. Equal texts share an instance. */
    public static Described by(String json) {
        return KNOWN.computeIfAbsent(MAPPER.readTree(json).toString(), Described::new);
    }

    /**
     * A request.
     *
     * @param headers by their names in lower case
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Sent(String method, String target, Map<String, String> headers, byte[] body) {}

    /**
     * A response.
     *
     * @param headers by their names in lower case
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Answered(int status, Map<String, String> headers, byte[] body) {

        private String mediaType() {
            return headers.getOrDefault("content-type", "").split(";", 2)[0];
        }
    }

    /** A described method and path. */
    record Operation(String method, String pattern, JsonNode node, List<JsonNode> parameters) {

        private boolean fits(String asked, String path) {
            String[] declared = pattern.split("/", -1);
            String[] segments = path.split("/", -1);
            boolean fits = method.equals(asked) && declared.length == segments.length;
            for (int i = 0; fits && i < segments.length; i++) {
                fits = declared[i].startsWith("{") ? !segments[i].isEmpty() : declared[i].equals(segments[i]);
            }
            return fits;
        }

        private boolean isExact() {
            return !pattern.contains("{");
        }

        List<JsonNode> parameters(String place) {
            return parameters.stream()
                    .filter(parameter -> parameter.get("in").stringValue().equals(place))
                    .toList();
        }

        @Override
        public String toString() {
            return method + " " + pattern;
        }
    }

    /** Parsed schemas, for reuse. */
    private static final class Schemas {

        private final SchemaRegistry registry;
        private final UnaryOperator<JsonNode> reading;
        private final Map<JsonNode, Schema> read = Collections.synchronizedMap(new IdentityHashMap<>());

        Schemas(JsonNode api, UnaryOperator<JsonNode> reading) {
            this.reading = reading;
            SchemaRegistryConfig config =
                    SchemaRegistryConfig.builder().formatAssertionsEnabled(true).build();
            this.registry = SchemaRegistry.withDefaultDialect(
                    Dialects.getOpenApi31(),
                    builder -> builder.schemas(Map.of(BASE, reading.apply(api).toString()))
                            .schemaRegistryConfig(config));
        }

        void check(JsonNode schema, JsonNode value, String what) {
            List<Error> errors = read.computeIfAbsent(schema, key -> registry.getSchema(reading.apply(key)))
                    .validate(value);
            if (!errors.isEmpty()) {
                throw new Breach(what + " is not as described: " + errors);
            }
        }
    }

    /** Thrown if a response does not match the description. */
    static class Breach extends AssertionError {

        private static final long serialVersionUID = 1L;

        Breach(String message) {
            super(message);
        }
    }

    /** Thrown if a request succeeded although the description does not allow it. */
    static final class Lenience extends Breach {

        private static final long serialVersionUID = 1L;

        Lenience(String message) {
            super(message);
        }
    }

    private Operation operation(String pattern, JsonNode path, String method) {
        JsonNode node = path.get(method);
        List<JsonNode> parameters = new ArrayList<>();
        path.path("parameters").forEach(parameter -> parameters.add(resolved(parameter)));
        node.path("parameters").forEach(parameter -> parameters.add(resolved(parameter)));
        return new Operation(method.toUpperCase(Locale.ROOT), pattern, node, parameters);
    }

    /** Restricts objects to the members that are described. */
    private static JsonNode closed(JsonNode node) {
        if (node instanceof ObjectNode object) {
            boolean describesMembers =
                    object.path("properties").isObject() && !object.has("$ref") && !object.has("additionalProperties");
            if (describesMembers) {
                object.put("unevaluatedProperties", false);
            }
        }
        node.forEach(Described::closed);
        return node;
    }

    JsonNode api() {
        return api;
    }

    List<Operation> operations() {
        return operations;
    }

    /** Returns the component that a reference refers to. */
    JsonNode resolved(JsonNode node) {
        String reference = node.path("$ref").asString("");
        return reference.isEmpty() ? node : resolved(api.at(reference.substring(reference.indexOf('#') + 1)));
    }

    /** Checks an example against the schema of its request. */
    void checkExample(JsonNode schema, JsonNode value, String what) {
        asked.check(schema, value, what);
    }

    private Optional<Operation> find(String method, String path) {
        String asked = method.equals("HEAD") ? "GET" : method;
        List<Operation> fitting = operations.stream()
                .filter(operation -> operation.fits(asked, path))
                .toList();
        return fitting.stream()
                .filter(Operation::isExact)
                .findFirst()
                .or(() -> fitting.stream().findFirst());
    }

    /** Checks a response, and its request if it succeeded. Ignores paths and methods that are not described. */
    public void check(Sent sent, Answered answer) {
        String path = sent.target.split("[?]", 2)[0];
        Operation operation = find(sent.method, path).orElse(null);
        if (operation == null) {
            return;
        }
        try {
            JsonNode response = response(operation, answer);
            checkHeaders(response, answer);
            if (sent.method.equals("HEAD")) {
                require(answer.body.length == 0, "HEAD has a body");
            } else {
                checkBody(response, answer);
            }
        } catch (Breach breach) {
            throw new Breach(told(operation, breach, sent, answer));
        }
        if (answer.status < 300) {
            try {
                checkParameters(operation, sent, path);
                checkSentBody(operation, sent);
            } catch (Breach breach) {
                throw new Lenience(told(operation, breach, sent, answer));
            }
        }
    }

    private static String told(Operation operation, Breach breach, Sent sent, Answered answer) {
        return "%s: %s\n%s %s → %d %s"
                .formatted(
                        operation,
                        breach.getMessage(),
                        sent.method,
                        sent.target,
                        answer.status,
                        cut(new String(answer.body, UTF_8)));
    }

    /** Checks a response of an app that runs without a server: its status, content type and body only. */
    public void checkAnswer(String method, String target, Answered answer) {
        find(method, target.split("[?]", 2)[0]).ifPresent(operation -> checkBody(response(operation, answer), answer));
    }

    private static String cut(String text) {
        return text.length() > 1000 ? text.substring(0, 1000) + "…" : text;
    }

    private static void require(boolean holds, String breach) {
        if (!holds) {
            throw new Breach(breach);
        }
    }

    private JsonNode response(Operation operation, Answered answer) {
        JsonNode response = operation.node.get("responses").get(String.valueOf(answer.status));
        if (response == null) {
            throw new Breach("the status " + answer.status + " is not described");
        }
        return resolved(response);
    }

    private void checkHeaders(JsonNode response, Answered answer) {
        Map<String, JsonNode> described = new LinkedHashMap<>();
        response.path("headers")
                .properties()
                .forEach(
                        header -> described.put(header.getKey().toLowerCase(Locale.ROOT), resolved(header.getValue())));
        answer.headers.forEach((name, value) -> {
            JsonNode header = described.get(name);
            require(header != null || NOT_OURS.contains(name), "the header " + name + " is not described");
            if (header != null) {
                checkText(answered, header, value, "the header " + name);
            }
        });
        described.forEach((name, header) -> require(
                answer.headers.containsKey(name) || !header.path("required").asBoolean(false),
                "the header " + name + " is missing"));
    }

    private void checkBody(JsonNode response, Answered answer) {
        if (answer.status >= 400 && answer.mediaType().equals("text/html")) {
            return; // a browser that navigates gets errors as pages, which are not for programs
        }
        JsonNode content = response.path("content");
        if (content.isEmpty()) {
            require(answer.body.length == 0, "there is a body, and none is described");
            return;
        }
        JsonNode media = content.get(answer.mediaType());
        require(media != null, "the type " + answer.mediaType() + " is not described");
        answered.check(media.get("schema"), value(answer.mediaType(), answer.body), "the answer");
    }

    private static JsonNode value(String mediaType, byte[] body) {
        try {
            return mediaType.endsWith("json") ? MAPPER.readTree(body) : StringNode.valueOf(new String(body, UTF_8));
        } catch (JacksonException e) {
            throw new Breach("what is said to be JSON is none: " + e.getOriginalMessage());
        }
    }

    private void checkParameters(Operation operation, Sent sent, String path) {
        Map<String, String> inPath = new LinkedHashMap<>();
        String[] declared = operation.pattern.split("/", -1);
        String[] segments = path.split("/", -1);
        for (int i = 0; i < declared.length; i++) {
            if (declared[i].startsWith("{")) {
                inPath.put(
                        declared[i].substring(1, declared[i].length() - 1),
                        URLDecoder.decode(segments[i].replace("+", "%2B"), UTF_8));
            }
        }
        check(operation, "path", inPath, inPath.keySet());
        Map<String, String> query = query(sent.target);
        check(operation, "query", query, query.keySet());
        Map<String, String> headers = new HashMap<>(sent.headers);
        if (!headers.containsKey("idempotency-key")) {
            headers.remove("x-client-tx-id"); // ignored without a key
        }
        check(operation, "header", headers, Set.of());
        JsonNode security = operation.node.get("security");
        if (!security.isEmpty() && !security.get(0).isEmpty()) {
            require(sent.headers.containsKey("authorization"), "was done without a token");
        }
    }

    private static Map<String, String> query(String target) {
        Map<String, String> query = new LinkedHashMap<>();
        int from = target.indexOf('?');
        if (from >= 0 && from + 1 < target.length()) {
            for (String parameter : target.substring(from + 1).split("&", -1)) {
                String[] pair = parameter.split("=", 2);
                query.putIfAbsent(
                        URLDecoder.decode(pair[0], UTF_8), pair.length == 1 ? "" : URLDecoder.decode(pair[1], UTF_8));
            }
        }
        return query;
    }

    /** @param named names that must be described */
    private void check(Operation operation, String place, Map<String, String> values, Set<String> named) {
        Map<String, JsonNode> described = operation.parameters(place).stream()
                .collect(Collectors.toMap(
                        parameter -> place.equals("header")
                                ? parameter.get("name").stringValue().toLowerCase(Locale.ROOT)
                                : parameter.get("name").stringValue(),
                        parameter -> parameter));
        boolean hasOthers = described.values().removeIf(Described::standsForOthers);
        named.forEach(name ->
                require(hasOthers || described.containsKey(name), "the " + place + "'s " + name + " is not described"));
        described.forEach((name, parameter) -> {
            String value = values.get(name);
            if (value != null) {
                checkText(asked, parameter, value, "the " + place + "'s " + name);
            } else {
                require(!parameter.path("required").asBoolean(false), "was done without the " + place + "'s " + name);
            }
        });
    }

    /** Whether a parameter stands for parameters with other names, each a member of an object. */
    static boolean standsForOthers(JsonNode parameter) {
        return parameter.at("/schema/type").asString("").equals("object");
    }

    private void checkText(Schemas schemas, JsonNode parameter, String text, String what) {
        JsonNode schema = parameter.get("schema");
        boolean isNumber = resolved(schema).path("type").asString("").equals("integer") && text.matches("[0-9]{1,18}");
        schemas.check(schema, isNumber ? MAPPER.readTree(text) : StringNode.valueOf(text), what);
    }

    /** Ignores bodies that are optional and not used. */
    private void checkSentBody(Operation operation, Sent sent) {
        JsonNode described = resolved(operation.node.path("requestBody"));
        if (described.path("required").asBoolean(false)) {
            require(sent.body.length > 0, "was done without a body");
            JsonNode schema = described.get("content").get("application/json").get("schema");
            asked.check(schema, value("application/json", sent.body), "what was sent");
        }
    }

    /** Returns the first value of each header, by its name in lower case. */
    public static Map<String, String> headers(Map<String, ? extends List<String>> headers) {
        Map<String, String> first = new LinkedHashMap<>();
        headers.forEach((name, values) -> first.put(name.toLowerCase(Locale.ROOT), values.get(0)));
        return first;
    }
}
