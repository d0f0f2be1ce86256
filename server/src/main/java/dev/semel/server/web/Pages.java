package dev.semel.server.web;

import dev.semel.id.MalformedException;
import dev.semel.record.Page;
import dev.semel.store.Document;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Answers with a page of records. */
public final class Pages {

    private Pages() {}

    /** Reads some records from a place on. */
    @FunctionalInterface
    public interface Source {

        /**
         * Reads.
         *
         * @param after where the page before ended, or null for the first
         * @throws MalformedException naming the parameter that is wrong
         */
        Page read(@Nullable String after, int limit);
    }

    /** The page that a request asks for: {@code {"items":[…],"next":…}}. */
    public static Answer answer(Request request, Source source, Function<Document, JsonNode> item) {
        ObjectNode answer = JsonText.object();
        ArrayNode items = answer.putArray("items");
        Page page = read(source, request.after(), request.limit());
        page.items().forEach(document -> items.add(item.apply(document)));
        return Answer.ok(answer.put("next", page.next().orElse(null)));
    }

    private static Page read(Source source, @Nullable String after, int limit) {
        try {
            return source.read(after, limit);
        } catch (MalformedException e) {
            throw Refusal.malformed(e);
        }
    }
}
