package dev.semel.server.ops;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.KeyPage;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.spi.IdempotencyRecord;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads pages of idempotency keys, and responds with them. */
public final class KeyPages {

    private static final int MOST_PAGES = 100;
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(2);

    private KeyPages() {}

    /**
     * Returns the page that a request asks for. Without a matching index, the store examines a limited number of keys per page, so a page
     * may be empty although more follow. Continues up to two seconds until some are found.
     */
    public static KeyPage find(Request request, StoreAdmin admin, KeyQuery query) {
        try {
            String after = request.after() == null ? null : cursor(request.after());
            long startedAt = System.nanoTime();
            KeyPage page = admin.list(query.after(after));
            for (int pages = 1; pages < MOST_PAGES && System.nanoTime() - startedAt < MOST_NANOS; pages++) {
                Optional<String> next = page.next();
                if (next.isEmpty() || !page.records().isEmpty()) {
                    break;
                }
                page = admin.list(query.after(next.get()));
            }
            return page;
        } catch (IllegalArgumentException e) {
            throw invalidCursor();
        }
    }

    /** Returns a response {@code {"items":[…],"next":…}}. */
    public static ApiResponse respond(KeyPage page, BiFunction<IdempotencyRecord, Instant, ObjectNode> item) {
        ObjectNode body = JsonText.object();
        ArrayNode items = body.putArray("items");
        page.records().forEach(record -> items.add(item.apply(record, page.now())));
        return ApiResponse.ok(body.put("next", page.next().map(KeyPages::next).orElse(null)));
    }

    /** Encodes a cursor of the store for clients. */
    static String next(String cursor) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(cursor.getBytes(UTF_8));
    }

    /**
     * Decodes a cursor that a client sent.
     *
     * @throws ProblemException if it is malformed
     */
    static String cursor(String next) {
        try {
            return new String(Base64.getUrlDecoder().decode(next), UTF_8);
        } catch (IllegalArgumentException e) {
            throw invalidCursor();
        }
    }

    static ProblemException invalidCursor() {
        return ProblemException.invalid("after", "is not the next of such a page");
    }
}
