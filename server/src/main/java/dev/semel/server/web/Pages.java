package dev.semel.server.web;

import dev.semel.document.DocumentCollection.Page;
import dev.semel.id.MalformedException;
import dev.semel.store.Document;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Responds with a page of documents. */
public final class Pages {

    private Pages() {}

    /** Reads a page of documents. */
    @FunctionalInterface
    public interface Source {

        /**
         * Reads.
         *
         * @param after cursor after the page before, or null for the first
         * @throws MalformedException naming the parameter that is wrong
         */
        Page read(@Nullable String after, int limit);
    }

    /** The requested page: {@code {"items":[…],"next":…}}. */
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
