package dev.semel.server.apps.feed;

import static dev.semel.server.apps.feed.FeedCollections.COMMENTS;
import static dev.semel.server.apps.feed.FeedCollections.DELETED;
import static dev.semel.server.apps.feed.FeedCollections.LIKES;
import static dev.semel.server.apps.feed.FeedCollections.POSTS;
import static dev.semel.server.apps.feed.FeedCollections.post;

import dev.semel.document.DocumentCollection.Page;
import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.document.Transaction;
import dev.semel.document.Transactions;
import dev.semel.http.Problem;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.Caller;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Pages;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.Document;
import dev.semel.store.Time;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.OrderedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A feed that all users share, with posts, likes and comments. Every change requires an idempotency key. */
public final class Feed implements App {

    private static final String FEED = "/v1/feed/posts";
    private static final String POST = FEED + "/{id}";
    private static final int LONGEST_TEXT = 1 << 20;
    private static final int MOST_READERS = 4096;
    private static final int HELD_SHARE = 16; // of the heap, for event pages of slow readers
    private static final Json NOTHING = Json.of("{}");

    private final OrderedStore store;
    private final EventHub events;
    private final PostCleanup postCleanup;
    private final @Nullable Duration kept;

    /** @param kept how long posts are kept; null to keep them indefinitely */
    public Feed(OrderedStore store, Transactions transactions, Time time, @Nullable Duration kept) {
        this(store, transactions, time, kept, MOST_READERS, Runtime.getRuntime().maxMemory() / HELD_SHARE);
    }

    /**
     * Creates a feed with limits for readers of events.
     *
     * @param mostReaders the maximum number of concurrent readers
     * @param heldBytes the maximum size of all pages that are held for readers that are behind
     */
    Feed(
            OrderedStore store,
            Transactions transactions,
            Time time,
            @Nullable Duration kept,
            int mostReaders,
            long heldBytes) {
        this.store = store;
        this.events = new EventHub(store, transactions, time, mostReaders, heldBytes);
        this.postCleanup = new PostCleanup(transactions);
        this.kept = kept;
    }

    @Override
    public void declare(Routes routes) {
        routes.atomicWithKey("POST", FEED, Feed::publish)
                .get(FEED, request -> Pages.respond(request, this::newest, post -> json(store, post)))
                .get(POST, request -> ApiResponse.ok(json(store, post(store, request.part("id")))))
                .atomicWithKey("DELETE", POST, Feed::delete)
                .atomicWithKey("POST", POST + "/likes", Feed::like)
                .atomicWithKey("POST", POST + "/comments", Feed::comment)
                .get(POST + "/comments", this::comments)
                .get("/v1/feed/events", events::subscribe);
    }

    @Override
    public List<Sweeper.Task> sweepTasks() {
        List<Sweeper.Task> tasks = new ArrayList<>();
        Duration longest = kept;
        if (longest != null) {
            tasks.add(new Sweeper.Task("posts", () -> postCleanup.removeOld(longest)));
        }
        tasks.add(new Sweeper.Task(StoreAdmin.DOCUMENTS, postCleanup::removeLeftOver));
        return tasks;
    }

    @Override
    public void stop() {
        events.close();
    }

    /** Returns a page of posts, the latest commit first. */
    private Page newest(@Nullable String after, int limit) {
        return POSTS.newest(store, Map.of(), after, limit);
    }

    /** Returns a page of comments on a post, the earliest commit first. */
    private Page oldest(Document post, @Nullable String after, int limit) {
        return COMMENTS.oldest(store, Map.of("post", post.key()), after, limit);
    }

    private static ApiResponse publish(Request request) {
        JsonNode body = request.object();
        Json data = written(request, body);
        Document post = Request.isGiven(body, "id")
                ? createChosen(request.tx(), chosenId(body), data)
                : POSTS.createMinted(request.tx(), IdSchemes.TID62::mint, data);
        JsonNode json = json(post, Counts.NONE);
        FeedEvent.publish("post", request, about(post).set("post", json));
        return ApiResponse.created(json);
    }

    /** Returns the members that all events have. */
    private static ObjectNode about(Document post) {
        return JsonText.object().put("postId", post.key());
    }

    private static String chosenId(JsonNode body) {
        try {
            return IdSchemes.TID62.check("id", Request.text(body, "id", LONGEST_TEXT));
        } catch (MalformedException e) {
            throw ProblemException.malformed(e);
        }
    }

    private static Document createChosen(Transaction tx, String id, Json data) {
        boolean wasDeleted = DELETED.read(tx, id).isPresent();
        if (!wasDeleted && POSTS.create(tx, id, data) instanceof WriteResult.Written written) {
            return written.document();
        }
        throw ProblemException.named(409, "id_taken", "A post with this id exists or has existed");
    }

    /** Returns the stored data of a post or comment. */
    private static Json written(Request request, JsonNode body) {
        return JsonText.json(
                JsonText.object().put("author", request.user()).put("text", Request.text(body, "text", LONGEST_TEXT)));
    }

    private static ApiResponse like(Request request) {
        Transaction tx = request.tx();
        Document post = post(tx, request.part("id"));
        String like = LIKES.key().key(Map.of("post", post.key(), "user", Caller.keyPart(request.user())));
        if (LIKES.create(tx, like, NOTHING) instanceof WriteResult.Written) {
            Counts.change(tx, post.key(), Counts::withLike);
            FeedEvent.publish(
                    "like",
                    request,
                    about(post).put("likes", Counts.of(tx, post.key()).likes()));
        }
        return ApiResponse.created(json(tx, post));
    }

    private static ApiResponse comment(Request request) {
        Transaction tx = request.tx();
        Document post = post(tx, request.part("id"));
        Document comment = COMMENTS.createMinted(
                tx,
                () -> COMMENTS.key().key(Map.of("post", post.key(), "comment", IdSchemes.TID62.mint())),
                written(request, request.object()));
        Counts.change(tx, post.key(), Counts::withComment);
        JsonNode json = json(comment);
        FeedEvent.publish(
                "comment",
                request,
                about(post)
                        .put("comments", Counts.of(tx, post.key()).comments())
                        .set("comment", json));
        return ApiResponse.created(json);
    }

    private ApiResponse comments(Request request) {
        Document post = post(store, request.part("id"));
        return Pages.respond(request, (after, limit) -> oldest(post, after, limit), Feed::json);
    }

    private static ApiResponse delete(Request request) {
        Transaction tx = request.tx();
        Document post = post(tx, request.part("id"));
        if (!JsonText.tree(post.data()).get("author").stringValue().equals(request.user())) {
            throw new ProblemException(
                    Problem.of(403, "not_author", "Forbidden").detailed("Only the author of a post may delete it"));
        }
        PostCleanup.remove(tx, post.key());
        FeedEvent.publish("delete", request, about(post));
        return ApiResponse.ok(JsonText.object().put("id", post.key()).put("deleted", true));
    }

    private static JsonNode json(Document.Reader reader, Document post) {
        return json(post, Counts.of(reader, post.key()));
    }

    private static JsonNode json(Document post, Counts counts) {
        return shown(post.key(), post).put("likes", counts.likes()).put("comments", counts.comments());
    }

    private static JsonNode json(Document comment) {
        return shown(COMMENTS.key().parse(comment.key()).getOrDefault("comment", ""), comment);
    }

    private static ObjectNode shown(String id, Document written) {
        JsonNode tree = JsonText.tree(written.data());
        return JsonText.object()
                .put("id", id)
                .set("author", tree.get("author"))
                .set("text", tree.get("text"))
                .put("createdAt", JsonText.time(written.createdAt()));
    }
}
