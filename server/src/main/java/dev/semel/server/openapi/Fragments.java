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
 * What the systems say of themselves, each in an {@code openapi.json} beside its classes, put together. They are OpenAPI but for two
 * things, so that nothing has to be said twice: {@code problems}, the errors by name, and {@code kinds}, what holds for all routes of
 * a kind.
 */
final class Fragments {

    /** Folders beside that of the server; what a server does not answer is left out later. */
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

    /** All of them as one. */
    static ObjectNode all() {
        ObjectNode all = JsonText.object();
        for (String folder : FOLDERS) {
            merge(all, read("/dev/semel/server/" + folder + "openapi.json"), "");
        }
        return all;
    }

    /** Puts members of one object into another; lists go on, and whatever else is there twice is a mistake. */
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
                throw new IllegalStateException(resource + " is not there");
            }
            return JsonText.tree(Json.of(in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
