package dev.semel.server.web;

import dev.semel.id.MalformedException;
import dev.semel.record.Page;
import dev.semel.store.Document;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers with a page of records. Large records make a page end early, before all that was asked for is in memory; its
 * {@code next} goes on from there.
 */
public final class Pages {

    /** How many records are read at a time. */
    private static final int STEP = 50;

    /** The bytes of records behind which a page ends. */
    private static final long ENOUGH = 4 << 20;

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
        int limit = request.limit();
        String after = request.after();
        long bytes = 0;
        do {
            Page page = read(source, after, Math.min(STEP, limit - items.size()));
            for (Document document : page.items()) {
                items.add(item.apply(document));
                bytes += document.data().length();
            }
            after = page.next().orElse(null);
        } while (after != null && items.size() < limit && bytes < ENOUGH);
        return Answer.ok(answer.put("next", after));
    }

    private static Page read(Source source, @Nullable String after, int limit) {
        try {
            return source.read(after, limit);
        } catch (MalformedException e) {
            throw Refusal.malformed(e);
        }
    }
}
