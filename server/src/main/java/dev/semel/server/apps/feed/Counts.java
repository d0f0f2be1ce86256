package dev.semel.server.apps.feed;

import static dev.semel.server.apps.feed.FeedCollections.COUNTS;

import dev.semel.document.Transaction;
import dev.semel.json.Json;
import dev.semel.server.web.JsonText;
import dev.semel.store.Document;
import java.util.Optional;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;

/** The number of likes and comments of a post. */
record Counts(long likes, long comments) {

    /** The counts of a new post. */
    static final Counts NONE = new Counts(0, 0);

    static Counts of(Document.Reader reader, String post) {
        return COUNTS.read(reader, post).map(Document::data).map(Counts::of).orElse(NONE);
    }

    private static Counts of(Json json) {
        JsonNode tree = JsonText.tree(json);
        return new Counts(tree.get("likes").longValue(), tree.get("comments").longValue());
    }

    static void change(Transaction tx, String post, UnaryOperator<Counts> change) {
        Optional<Document> current = COUNTS.read(tx, post);
        Counts changed =
                change.apply(current.map(Document::data).map(Counts::of).orElse(NONE));
        if (current.isPresent()) {
            COUNTS.update(tx, post, current.get().version(), changed.json());
        } else {
            COUNTS.create(tx, post, changed.json());
        }
    }

    private Json json() {
        return JsonText.json(JsonText.object().put("likes", likes).put("comments", comments));
    }

    Counts withLike() {
        return new Counts(likes + 1, comments);
    }

    Counts withComment() {
        return new Counts(likes, comments + 1);
    }
}
