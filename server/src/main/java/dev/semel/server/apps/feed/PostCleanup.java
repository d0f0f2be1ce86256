package dev.semel.server.apps.feed;

import static dev.semel.server.apps.feed.FeedCollections.COMMENTS;
import static dev.semel.server.apps.feed.FeedCollections.COUNTS;
import static dev.semel.server.apps.feed.FeedCollections.DELETED;
import static dev.semel.server.apps.feed.FeedCollections.LEFT_OVER;
import static dev.semel.server.apps.feed.FeedCollections.LIKES;
import static dev.semel.server.apps.feed.FeedCollections.POSTS;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.document.Transaction;
import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.store.Document;
import dev.semel.store.spi.DocumentStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Deletes posts, on request or because of their age. The post itself is deleted at once. Its likes and comments, which may be many, are
 * deleted by later sweeps in small steps.
 */
final class PostCleanup {

    /** Few, because deleting a post writes up to four documents. */
    private static final int POSTS_AT_A_TIME = 5;

    private static final int ROWS_AT_A_TIME = 20;

    private static final Json NOTHING = Json.of("{}");

    private final Transactions transactions;
    private final DocumentStore store;

    PostCleanup(Transactions transactions) {
        this.transactions = transactions;
        this.store = transactions.store();
    }

    /** Deletes a post. Returns whether it existed. */
    static boolean remove(Transaction tx, String post) {
        boolean there = POSTS.delete(tx, post) instanceof WriteResult.Written;
        if (there) {
            if (COUNTS.delete(tx, post) instanceof WriteResult.Written) {
                LEFT_OVER.create(tx, post, NOTHING);
            }
            DELETED.create(tx, post, NOTHING);
        }
        return there;
    }

    /** Deletes some posts that are older than a given time. Returns how many, and 0 if there are no more. Publishes no events. */
    long removeOld(Duration kept) {
        Instant end = store.clock().instant().minus(kept);
        List<String> old = POSTS.oldest(store, Map.of(), null, POSTS_AT_A_TIME).items().stream()
                .filter(post -> !post.createdAt().isAfter(end))
                .map(Document::key)
                .toList();
        return transactions.run(
                tx -> old.stream().filter(post -> remove(tx, post)).count());
    }

    /** Deletes some likes or comments of deleted posts. Returns how many documents were deleted, and 0 if there are no more. */
    long removeLeftOver() {
        List<Document> left =
                LEFT_OVER.scan(store, KeyRange.ofPrefix(""), null, 1).items();
        if (left.isEmpty()) {
            return 0;
        }
        String post = left.get(0).key();
        long removed = removeSome(COMMENTS, post);
        if (removed == 0) {
            removed = removeSome(LIKES, post);
        }
        if (removed == 0) {
            transactions.run(tx -> LEFT_OVER.delete(tx, post));
            removed = 1;
        }
        return removed;
    }

    private long removeSome(DocumentCollection records, String post) {
        List<Document> some = records.scan(store, KeyRange.ofPrefix(post + "-"), null, ROWS_AT_A_TIME)
                .items();
        transactions.run(tx -> {
            some.forEach(document -> records.delete(tx, document.key()));
            return some;
        });
        return some.size();
    }
}
