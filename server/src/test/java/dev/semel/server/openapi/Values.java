package dev.semel.server.openapi;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Generates valid and nearly valid values for schemas. Texts in earlier requests and responses are reused for schemas of the same name, so
 * that requests refer to existing things.
 */
final class Values {

    private static final JsonNodeFactory NODES = new JsonMapper().getNodeFactory();
    private static final int MOST_KNOWN = 8;
    private static final List<String> UGLY = List.of(
            "",
            " ",
            "\u00e9",
            "\uD83D\uDE00",
            "a/b",
            "..",
            "%",
            "null",
            "-1",
            "'",
            "\"",
            "<b>",
            "a".repeat(300),
            "0",
            "\\");

    private final Described api;
    private final Random random;
    private final Map<String, Deque<String>> known = new HashMap<>();

    Values(Described api, Random random) {
        this.api = api;
        this.random = random;
    }

    /** Stores the texts in a value whose schemas have names. */
    void learn(JsonNode schema, JsonNode value) {
        JsonNode resolved = api.resolved(schema);
        if (value.isString() && schema.has("$ref")) {
            Deque<String> texts = known.computeIfAbsent(name(schema), name -> new ArrayDeque<>());
            texts.addFirst(value.stringValue());
            if (texts.size() > MOST_KNOWN) {
                texts.removeLast();
            }
        }
        resolved.path("anyOf").forEach(either -> learn(either, value));
        value.properties().forEach(member -> {
            if (resolved.path("properties").has(member.getKey())) {
                learn(resolved.path("properties").get(member.getKey()), member.getValue());
            }
        });
        if (value.isArray() && resolved.has("items")) {
            value.forEach(item -> learn(resolved.get("items"), item));
        }
    }

    /** Discards stored texts, because another user continues. */
    void forget() {
        known.clear();
    }

    /** Returns the name of a schema. Schemas that accept other encodings of an id share the name of its canonical one. */
    private static String name(JsonNode schema) {
        String reference = schema.get("$ref").stringValue();
        String name = reference.substring(reference.lastIndexOf('/') + 1);
        return name.startsWith("Any") ? name.substring(3) : name;
    }

    /** Returns a value that matches a schema. */
    JsonNode valid(JsonNode schema) {
        if (schema.has("$ref")) {
            Deque<String> texts = known.get(name(schema));
            return texts != null && random.nextInt(4) > 0
                    ? NODES.stringNode(pick(new ArrayList<>(texts)))
                    : valid(api.resolved(schema));
        }
        if (schema.has("const")) {
            return schema.get("const");
        }
        if (schema.has("enum")) {
            return pick(schema.get("enum").valueStream().toList());
        }
        if (schema.has("anyOf")) {
            return valid(pick(schema.get("anyOf").valueStream().toList()));
        }
        JsonNode type = schema.path("type");
        return ofType(schema, type.isArray() ? pick(type.valueStream().toList()).stringValue() : type.asString(""));
    }

    private JsonNode ofType(JsonNode schema, String type) {
        return switch (type) {
            case "string" -> NODES.stringNode(text(schema));
            case "integer" -> NODES.numberNode(whole(schema));
            case "boolean" -> NODES.booleanNode(random.nextBoolean());
            case "null" -> NODES.nullNode();
            case "array" -> list(schema);
            case "object" -> object(schema);
            default -> anything(2);
        };
    }

    private String text(JsonNode schema) {
        String pattern = schema.path("pattern").asString("");
        return pattern.startsWith("^") ? PatternText.matching(pattern, random) : "text " + random.nextInt(1000);
    }

    private long whole(JsonNode schema) {
        long least = schema.path("minimum").asLong(0);
        long most = schema.path("maximum").asLong(1000);
        return switch (random.nextInt(6)) {
            case 0 -> least;
            case 1 -> most;
            default -> least + random.nextInt((int) Math.min(most - least, 5) + 1);
        };
    }

    private ArrayNode list(JsonNode schema) {
        ArrayNode list = NODES.arrayNode();
        for (int i = random.nextInt(3); i > 0; i--) {
            list.add(valid(schema.get("items")));
        }
        return list;
    }

    private ObjectNode object(JsonNode schema) {
        List<String> required =
                schema.path("required").valueStream().map(JsonNode::stringValue).toList();
        ObjectNode object = NODES.objectNode();
        schema.path("properties").properties().forEach(member -> {
            if (required.contains(member.getKey()) || random.nextInt(3) == 0) {
                object.set(member.getKey(), valid(member.getValue()));
            }
        });
        return object;
    }

    private JsonNode anything(int depth) {
        return switch (random.nextInt(depth == 0 ? 5 : 7)) {
            case 0 -> NODES.nullNode();
            case 1 -> NODES.booleanNode(random.nextBoolean());
            case 2 -> NODES.numberNode(random.nextLong());
            case 3 -> NODES.numberNode(random.nextDouble());
            case 4 -> NODES.stringNode(pick(UGLY));
            case 5 -> NODES.arrayNode().add(anything(depth - 1)).add(anything(depth - 1));
            default -> NODES.objectNode().set("member", anything(depth - 1));
        };
    }

    /** Returns a value that differs slightly from a schema, and may still match it. */
    JsonNode bent(JsonNode schema) {
        JsonNode value = valid(schema);
        if (value instanceof ObjectNode object && !object.isEmpty() && random.nextInt(4) > 0) {
            String member = pick(new ArrayList<>(object.propertyNames()));
            JsonNode described = api.resolved(schema).path("properties").path(member);
            if (random.nextInt(3) == 0) {
                object.remove(member);
            } else {
                object.set(member, described.isMissingNode() ? anything(1) : bent(described));
            }
            return object;
        }
        if (value.isString() && random.nextInt(3) > 0) {
            String text = value.stringValue();
            int place = random.nextInt(text.length() + 1);
            return NODES.stringNode(text.substring(0, place) + pick(UGLY) + text.substring(place));
        }
        if (value.isIntegralNumber() && random.nextInt(3) > 0) {
            JsonNode resolved = api.resolved(schema);
            return pick(List.of(
                    NODES.numberNode(resolved.path("minimum").asLong(0) - 1),
                    NODES.numberNode(resolved.path("maximum").asLong(Long.MAX_VALUE - 1) + 1),
                    NODES.numberNode(0.5),
                    NODES.stringNode(value.toString())));
        }
        return anything(1);
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
