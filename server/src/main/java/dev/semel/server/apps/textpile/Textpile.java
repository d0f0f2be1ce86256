package dev.semel.server.apps.textpile;

import dev.semel.document.DocumentCollection;
import dev.semel.document.ShortIdAllocator;
import dev.semel.document.ShortIdAllocator.Rung;
import dev.semel.http.Idempotency;
import dev.semel.id.DayNonceScheme;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.kv.DocumentKeyValueStore;
import dev.semel.kv.KeyValueStore;
import dev.semel.kv.KvShortIdAllocator;
import dev.semel.kv.KvTiming;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.Html;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.PageFrame;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.Document;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Texts that everyone can read, with ids that are short enough to read aloud: {@code 260107-bc}. */
public final class Textpile implements App {

    private static final DocumentCollection POSTS = DocumentCollection.of("textpile", KeyTemplate.of("post:{id}"));

    /** Accepts ids of every length that the setting allows, since posts outlive a change of the setting. */
    private static final DayNonceScheme IDS = IdSchemes.DAY_NONCE.upTo(6);

    /** A secret of the allocator that is stored with the post, and never returned. */
    private static final String ALLOC_TOKEN = "allocToken";

    private static final int LONGEST_TITLE = 1_000;
    private static final int LONGEST_BODY = 1 << 20;

    private final DocumentStore store;
    private final ShortIdAllocator allocator;
    private final @Nullable KeyValueAllocation keyValues;

    /** @param letters the maximum number of letters in an id, 3 to 6 */
    public Textpile(DocumentStore store, int letters) {
        this(store, letters, null);
    }

    private Textpile(DocumentStore store, int letters, @Nullable KeyValueAllocation keyValues) {
        this.store = store;
        this.allocator = new ShortIdAllocator(POSTS, Textpile::key, IDS, ShortIdAllocator.ladder(letters));
        this.keyValues = keyValues;
    }

    /**
     * Makes an app that uses its store as a key-value store, without an atomic create.
     *
     * @param letters the maximum number of letters in an id, 3 to 6
     * @param overwritesAccepted whether the timing may be one with which posts can be overwritten
     * @param time used for waiting only; the current time comes from the store
     * @throws IllegalArgumentException if the timing is not safe, unless that is accepted
     */
    public static Textpile onKeyValues(
            DocumentStore store, int letters, KvTiming timing, boolean overwritesAccepted, Time time) {
        KeyValueStore values = new DocumentKeyValueStore(store, POSTS.collection());
        List<Rung> ladder = ShortIdAllocator.ladder(letters);
        KvShortIdAllocator allocator = overwritesAccepted
                ? KvShortIdAllocator.acceptingOverwrites(values, timing, IDS, ladder, time)
                : KvShortIdAllocator.of(values, timing, IDS, ladder, time);
        return new Textpile(store, letters, new KeyValueAllocation(allocator, timing.settle()));
    }

    @Override
    public void declare(Routes routes) {
        if (keyValues == null) {
            routes.atomic("POST", "/api/submit", this::submit);
        } else {
            // The post is not in the commit of the key. A retry after a crash must not publish the text again.
            routes.add(
                    "POST",
                    "/api/submit",
                    Idempotency.leased(IfAbandoned.FREEZE),
                    Routes.Access.USERS,
                    request -> submit(request, keyValues));
        }
        routes.get("/api/posts/{id}", request -> ApiResponse.ok(post(request)))
                .getOpen("/p/{id}", request -> page(post(request)));
    }

    private ApiResponse submit(Request request) {
        ObjectNode fields = fields(request);
        Instant now = request.tx().now();
        return created(allocator
                .allocate(request.tx(), now, (id, token) -> stored(id, now, fields, token))
                .map(Document::data));
    }

    private ApiResponse submit(Request request, KeyValueAllocation allocation) {
        ObjectNode fields = fields(request);
        Instant now = store.clock().instant();
        return created(allocation.allocate(now, (id, token) -> stored(id, now, fields, token)));
    }

    /** Returns the members of a post that the client sets. */
    private static ObjectNode fields(Request request) {
        JsonNode content = request.object();
        String body = Request.text(content, "body", LONGEST_BODY);
        ObjectNode fields = JsonText.object();
        JsonNode title = content.path("title");
        if (!(title.isString() && title.stringValue().isBlank())) { // an empty field of a form counts as missing
            Request.optionalText(content, "title", LONGEST_TITLE).ifPresent(given -> fields.put("title", given));
        }
        return fields.put("body", body);
    }

    private static ApiResponse created(Optional<Json> post) {
        JsonNode made = JsonText.tree(post.orElseThrow(() ->
                ProblemException.named(503, "allocation_failed", "All tried ids are taken. Try again, or tomorrow")));
        return ApiResponse.created(JsonText.object()
                .set("id", made.get("id"))
                .put("url", "/p/" + made.get("id").stringValue())
                .set("createdAt", made.get("createdAt")));
    }

    private static Json stored(String id, Instant now, ObjectNode fields, String token) {
        return JsonText.json(JsonText.object()
                .put("id", id)
                .put("createdAt", JsonText.time(now))
                .setAll(fields)
                .put(ALLOC_TOKEN, token));
    }

    /** Returns the requested post without its secret. */
    private ObjectNode post(Request request) {
        String id = request.part("id");
        if (!IDS.isValid(id)) {
            throw ProblemException.notFound("post");
        }
        Document post = POSTS.read(store, key(id)).orElseThrow(() -> ProblemException.notFound("post"));
        ObjectNode shown = (ObjectNode) JsonText.tree(post.data());
        shown.remove(ALLOC_TOKEN);
        return shown;
    }

    private static String key(String id) {
        return "post:" + id;
    }

    private static ApiResponse page(JsonNode post) {
        String id = post.get("id").stringValue();
        String title = post.hasNonNull("title") ? post.get("title").stringValue() : id;
        String createdAt = post.get("createdAt").stringValue();
        String main = """
                <main class="sheet"><h1 dir="auto">%s</h1>
                <pre class="text" dir="auto">
                %s</pre>
                <p class="fine"><code>%s</code> · <time datetime="%s">%s</time></p></main>
                """.formatted(
                        Html.escape(title),
                        Html.escape(post.get("body").stringValue()),
                        Html.escape(id),
                        Html.escape(createdAt),
                        Html.escape(createdAt));
        return ApiResponse.html(PageFrame.plain(title, main));
    }
}
