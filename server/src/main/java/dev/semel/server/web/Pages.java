package dev.semel.server.web;

import dev.semel.document.DocumentCollection.Page;
import dev.semel.id.MalformedException;
import dev.semel.store.Document;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Responds with pages of documents. */
public final class Pages {

    private Pages() {}

    /** Reads a page of documents. */
    @FunctionalInterface
    public interface Source {

        /**
         * Reads a page.
         *
         * @param after the cursor of the page; null for the first page
         * @throws MalformedException if a parameter is malformed; it names the parameter
         */
        Page read(@Nullable String after, int limit);
    }

    /** Returns the requested page as {@code {"items":[…],"next":…}}. */
    public static ApiResponse respond(Request request, Source source, Function<Document, JsonNode> item) {
        ObjectNode body = JsonText.object();
        ArrayNode items = body.putArray("items");
        Page page = read(source, request.after(), request.limit());
        page.items().forEach(document -> items.add(item.apply(document)));
        return ApiResponse.ok(body.put("next", page.next().orElse(null)));
    }

    private static Page read(Source source, @Nullable String after, int limit) {
        try {
            return source.read(after, limit);
        } catch (MalformedException e) {
            throw ProblemException.malformed(e);
        }
    }
}
