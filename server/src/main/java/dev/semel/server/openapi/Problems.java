package dev.semel.server.openapi;

import dev.semel.server.web.JsonText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Describes errors: one response for each status, whose description lists the possible codes. Equal responses share a component. */
final class Problems {

    static final String MEDIA_TYPE = "application/problem+json";

    private final JsonNode catalogue;
    private final ObjectNode responses = JsonText.object();
    private final ObjectNode examples = JsonText.object();

    /** @param catalogue all problems by name, each with its status, texts, headers and members */
    Problems(JsonNode catalogue) {
        this.catalogue = catalogue;
    }

    /** Returns the components for the responses described so far, by name. */
    ObjectNode responses() {
        return responses;
    }

    /** Returns the components for the examples described so far, by name. */
    ObjectNode examples() {
        return examples;
    }

    /**
     * Adds the error responses of an operation, one for each status.
     *
     * @param described the responses of the operation, which this adds to
     * @param names the names of the problems that may occur
     * @param headers the headers that all its responses may have
     */
    void describe(ObjectNode described, Set<String> names, Set<String> headers) {
        Map<String, Set<String>> byStatus = new TreeMap<>();
        for (String name : names) {
            byStatus.computeIfAbsent(problem(name).get("status").asString(), status -> new TreeSet<>())
                    .add(name);
        }
        byStatus.forEach((status, sameStatus) -> {
            ObjectNode response = response(status, sameStatus, headers);
            described.set(status, Description.reference("responses", named(status, response)));
        });
    }

    private JsonNode problem(String name) {
        JsonNode problem = catalogue.get(name);
        if (problem == null) {
            throw new IllegalStateException("There is no problem " + name);
        }
        return problem;
    }

    /** Returns the component name of a response. Equal responses have the same name. */
    private String named(String status, ObjectNode response) {
        for (int i = 1; ; i++) {
            String name = "Problem" + status + (i == 1 ? "" : "_" + i);
            JsonNode there = responses.get(name);
            if (there == null) {
                responses.set(name, response);
                return name;
            }
            if (there.equals(response)) {
                return name;
            }
        }
    }

    private ObjectNode response(String status, Set<String> names, Set<String> headers) {
        ObjectNode response = JsonText.object();
        StringBuilder text = new StringBuilder();
        Set<String> codes = new TreeSet<>();
        ObjectNode shown = JsonText.object();
        Map<String, JsonNode> sent = new LinkedHashMap<>();
        headers.forEach(header -> sent.put(header, Description.reference("headers", header)));
        for (String name : names) {
            JsonNode problem = problem(name);
            codes.add(code(name, problem));
            text.append(text.isEmpty() ? "" : "\n")
                    .append("- `")
                    .append(code(name, problem))
                    .append("`: ");
            text.append(problem.get("when").stringValue());
            problem.path("headers")
                    .forEach(header ->
                            sent.put(header.stringValue(), Description.reference("headers", header.stringValue())));
            examples.set(name, JsonText.object().set("value", example(name, problem)));
            shown.set(name, Description.reference("examples", name));
        }
        response.put("description", text.toString());
        sent.forEach(response.withObjectProperty("headers")::set);
        ObjectNode media =
                JsonText.object().set("schema", schema(status, codes)).set("examples", shown);
        response.withObjectProperty("content").set(MEDIA_TYPE, media);
        return response;
    }

    private static ObjectNode schema(String status, Set<String> codes) {
        ObjectNode schema = Description.reference("schemas", "Problem");
        ObjectNode properties = schema.putObject("properties");
        properties.putObject("status").put("const", Integer.parseInt(status));
        ArrayNode allowed = properties.putObject("code").putArray("enum");
        codes.forEach(allowed::add);
        return schema;
    }

    private static ObjectNode example(String name, JsonNode problem) {
        String code = code(name, problem);
        ObjectNode example = JsonText.object()
                .put("type", "urn:semel:problem:" + code)
                .set("title", problem.get("error"))
                .set("status", problem.get("status"))
                .set("detail", problem.get("when"))
                .put("code", code)
                .set("error", problem.get("error"));
        problem.path("members").properties().forEach(member -> example.set(member.getKey(), member.getValue()));
        return example;
    }

    /** Returns the code of a problem, which is its name unless two problems share a code. */
    private static String code(String name, JsonNode problem) {
        return problem.has("code") ? problem.get("code").stringValue() : name;
    }
}
