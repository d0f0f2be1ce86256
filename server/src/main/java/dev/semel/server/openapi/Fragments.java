package dev.semel.server.openapi;

import dev.semel.json.Json;
import dev.semel.server.web.JsonText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Merges the resources {@code openapi.json} of all systems. They are OpenAPI with two extensions that avoid repetition: {@code problems}
 * lists errors by name, and {@code kinds} lists what all routes of a kind have in common.
 */
final class Fragments {

    /** Folders of the resources. Operations without a route are omitted later. */
    private static final List<String> FOLDERS = List.of(
            "",
            "auth/",
            "apps/textpile/",
            "apps/collections/",
            "apps/feed/",
            "apps/tables/",
            "apps/reputation/",
            "ops/");

    private Fragments() {}

    /** Returns the merged resources. */
    static ObjectNode all() {
        ObjectNode all = JsonText.object();
        for (String folder : FOLDERS) {
            merge(all, read("/dev/semel/server/" + folder + "openapi.json"), "");
        }
        return all;
    }

    /** Merges an object into another. Arrays are concatenated; any other duplicate is an error. */
    private static void merge(ObjectNode all, JsonNode more, String path) {
        for (Map.Entry<String, JsonNode> member : more.properties()) {
            String name = member.getKey();
            JsonNode there = all.get(name);
            if (there == null) {
                all.set(name, member.getValue());
            } else if (there instanceof ObjectNode object && (path.isEmpty() || path.equals("/components"))) {
                merge(object, member.getValue(), path + "/" + name);
            } else if (there instanceof ArrayNode array && member.getValue() instanceof ArrayNode items) {
                array.addAll(items);
            } else {
                throw new IllegalStateException("Described twice: " + path + "/" + name);
            }
        }
    }

    private static JsonNode read(String resource) {
        try (InputStream in = Fragments.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing");
            }
            return JsonText.tree(Json.of(in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
