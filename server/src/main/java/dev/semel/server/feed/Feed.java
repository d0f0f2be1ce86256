package dev.semel.server.feed;

import static dev.semel.server.feed.FeedRecords.COMMENTS;
import static dev.semel.server.feed.FeedRecords.DELETED;
import static dev.semel.server.feed.FeedRecords.LIKES;
import static dev.semel.server.feed.FeedRecords.POSTS;
import static dev.semel.server.feed.FeedRecords.post;

import dev.semel.http.Problem;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import dev.semel.record.Page;
import dev.semel.record.WriteResult;
import dev.semel.server.web.Answer;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Pages;
import dev.semel.server.web.Refusal;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.Document;
import dev.semel.store.DocumentReader;
import dev.semel.store.Housekeeping;
import dev.semel.store.Store;
import dev.semel.store.Sweeper;
import dev.semel.store.Time;
import dev.semel.store.Transaction;
import dev.semel.store.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A feed that all users share: posts, one like of each user, comments. Whatever changes it happens once. */
public final class Feed implements App {

    private static final String FEED = "/v1/feed/posts";
    private static final String POST = FEED + "/{id}";
    private static final int LONGEST_TEXT = 1 << 20;
    private static final int MOST_READERS = 4096;
    private static final int HELD_SHARE = 16; // of the memory, for readers of events who are behind
    private static final Json NOTHING = Json.of("{}");

    private final Store store;
    private final EventHub events;
    private final GonePosts gonePosts;
    private final @Nullable Duration kept;

    /** @param kept how long posts are kept; null for ever */
    public Feed(Transactions transactions, Time time, @Nullable Duration kept) {
        this(transactions, time, kept, MOST_READERS, Runtime.getRuntime().maxMemory() / HELD_SHARE);
    }

    /**
     * A feed with limits of its own.
     *
     * @param mostReaders how many may read events at once
     * @param heldBytes how much is held at once for those of them who are behind
     */
    Feed(Transactions transactions, Time time, @Nullable Duration kept, int mostReaders, long heldBytes) {
        this.store = transactions.store();
        this.events = new EventHub(transactions, time, mostReaders, heldBytes);
        this.gonePosts = new GonePosts(transactions);
        this.kept = kept;
    }

    @Override
    public void declare(Routes routes) {
        routes.atomicWithKey("POST", FEED, Feed::publish)
                .get(FEED, request -> Pages.answer(request, this::newest, post -> json(store, post)))
                .get(POST, request -> Answer.ok(json(store, post(store, request.part("id")))))
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
            tasks.add(new Sweeper.Task("posts", () -> gonePosts.removeOld(longest)));
        }
        tasks.add(new Sweeper.Task(Housekeeping.DOCUMENTS, gonePosts::removeLeftOver));
        return tasks;
    }

    @Override
    public void stop() {
        events.close();
    }

    /** Posts, the last that was committed first. */
    private Page newest(@Nullable String after, int limit) {
        return POSTS.newest(store, Map.of(), after, limit);
    }

    /** Comments on a post, the first that was committed first. */
    private Page oldest(Document post, @Nullable String after, int limit) {
        return COMMENTS.oldest(store, Map.of("post", post.key()), after, limit);
    }

    private static Answer publish(Request request) {
        JsonNode body = request.object();
        Json data = written(request, body);
        Document post = Request.isGiven(body, "id")
                ? createChosen(request.tx(), chosenId(body), data)
                : POSTS.createMinted(request.tx(), IdSchemes.TID62::mint, data);
        JsonNode json = json(request.tx(), post);
        FeedEvent.tell("post", request, about(post).set("post", json));
        return Answer.created(json);
    }

    /** What every event says: which post it is about. */
    private static ObjectNode about(Document post) {
        return JsonText.object().put("postId", post.key());
    }

    private static String chosenId(JsonNode body) {
        try {
            return IdSchemes.TID62.check("id", Request.text(body, "id", LONGEST_TEXT));
        } catch (MalformedException e) {
            throw Refusal.malformed(e);
        }
    }

    private static Document createChosen(Transaction tx, String id, Json data) {
        boolean wasDeleted = DELETED.read(tx, id).isPresent();
        if (!wasDeleted && POSTS.create(tx, id, data) instanceof WriteResult.Written written) {
            return written.document();
        }
        throw Refusal.named(409, "id_taken", "There is, or was, a post with this id");
    }

    /** What somebody wrote. */
    private static Json written(Request request, JsonNode body) {
        return JsonText.json(
                JsonText.object().put("author", request.user()).put("text", Request.text(body, "text", LONGEST_TEXT)));
    }

    private static Answer like(Request request) {
        Transaction tx = request.tx();
        Document post = post(tx, request.part("id"));
        String like = LIKES.key().key(Map.of("post", post.key(), "user", request.user()));
        if (LIKES.create(tx, like, NOTHING) instanceof WriteResult.Written) {
            Counts.change(tx, post.key(), Counts::withLike);
            FeedEvent.tell(
                    "like",
                    request,
                    about(post).put("likes", Counts.of(tx, post.key()).likes()));
        }
        return Answer.created(json(tx, post));
    }

    private static Answer comment(Request request) {
        Transaction tx = request.tx();
        Document post = post(tx, request.part("id"));
        Document comment = COMMENTS.createMinted(
                tx,
                () -> COMMENTS.key().key(Map.of("post", post.key(), "comment", IdSchemes.TID62.mint())),
                written(request, request.object()));
        Counts.change(tx, post.key(), Counts::withComment);
        JsonNode json = json(comment);
        FeedEvent.tell(
                "comment",
                request,
                about(post)
                        .put("comments", Counts.of(tx, post.key()).comments())
                        .set("comment", json));
        return Answer.created(json);
    }

    private Answer comments(Request request) {
        Document post = post(store, request.part("id"));
        return Pages.answer(request, (after, limit) -> oldest(post, after, limit), Feed::json);
    }

    private static Answer delete(Request request) {
        Transaction tx = request.tx();
        Document post = post(tx, request.part("id"));
        if (!JsonText.tree(post.data()).get("author").stringValue().equals(request.user())) {
            throw new Refusal(Problem.of(403, "not_author", "Forbidden").detailed("Only its author may delete a post"));
        }
        GonePosts.remove(tx, post.key());
        FeedEvent.tell("delete", request, about(post));
        return Answer.ok(JsonText.object().put("id", post.key()).put("deleted", true));
    }

    private static JsonNode json(DocumentReader reader, Document post) {
        Counts counts = Counts.of(reader, post.key());
        return told(post.key(), post).put("likes", counts.likes()).put("comments", counts.comments());
    }

    private static JsonNode json(Document comment) {
        return told(COMMENTS.key().parse(comment.key()).getOrDefault("comment", ""), comment);
    }

    private static ObjectNode told(String id, Document written) {
        JsonNode tree = JsonText.tree(written.data());
        return JsonText.object()
                .put("id", id)
                .set("author", tree.get("author"))
                .set("text", tree.get("text"))
                .put("createdAt", JsonText.time(written.createdAt()));
    }
}
