package dev.semel.server.ops;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.server.web.Answer;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Refusal;
import dev.semel.server.web.Request;
import dev.semel.store.KeyPage;
import dev.semel.store.KeyQuery;
import dev.semel.store.OnceRecord;
import dev.semel.store.Store;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Answers with a page of keys. */
public final class KeyPages {

    private static final int MOST_PAGES = 100;
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(2);

    private KeyPages() {}

    /**
     * The page that a request asks for. The store may find nothing on one though there are others: what has no index is looked through,
     * some at a time.
     */
    public static KeyPage find(Request request, Store store, KeyQuery query) {
        try {
            String after = request.after() == null ? null : place(request.after());
            long begun = System.nanoTime();
            KeyPage page = store.housekeeping().list(query.after(after));
            for (int pages = 1; pages < MOST_PAGES && System.nanoTime() - begun < MOST_NANOS; pages++) {
                Optional<String> next = page.next();
                if (next.isEmpty() || !page.records().isEmpty()) {
                    break;
                }
                page = store.housekeeping().list(query.after(next.get()));
            }
            return page;
        } catch (IllegalArgumentException e) {
            throw notANext();
        }
    }

    /** A page as it is told: {@code {"items":[…],"next":…}}. */
    public static Answer answer(KeyPage page, BiFunction<OnceRecord, Instant, ObjectNode> item) {
        ObjectNode answer = JsonText.object();
        ArrayNode items = answer.putArray("items");
        page.records().forEach(record -> items.add(item.apply(record, page.now())));
        return Answer.ok(answer.put("next", page.next().map(KeyPages::next).orElse(null)));
    }

    /** A place in a list, as it is told. */
    static String next(String place) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(place.getBytes(UTF_8));
    }

    /** The place that was told as the next. */
    static String place(String next) {
        try {
            return new String(Base64.getUrlDecoder().decode(next), UTF_8);
        } catch (IllegalArgumentException e) {
            throw notANext();
        }
    }

    static Refusal notANext() {
        return Refusal.invalid("after", "is not the next of a page of these");
    }
}
