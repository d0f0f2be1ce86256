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
 * What becomes of posts that were deleted, or are older than they are to be kept: the post itself goes at once, and its likes and
 * comments, of which there may be any number, with the sweeps that follow, a few at a time.
 */
final class PostCleanup {

    /** A post is written in up to four places. */
    private static final int POSTS_AT_A_TIME = 5;

    private static final int ROWS_AT_A_TIME = 20;

    private static final Json NOTHING = Json.of("{}");

    private final Transactions transactions;
    private final DocumentStore store;

    PostCleanup(Transactions transactions) {
        this.transactions = transactions;
        this.store = transactions.store();
    }

    /** Removes a post; returns whether it was there. */
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

    /** Removes some posts that are older than that, and returns how many; 0 if there are no more. Nobody is told: it is not an event. */
    long removeOld(Duration kept) {
        Instant end = store.clock().instant().minus(kept);
        List<String> old = POSTS.oldest(store, Map.of(), null, POSTS_AT_A_TIME).items().stream()
                .filter(post -> !post.createdAt().isAfter(end))
                .map(Document::key)
                .toList();
        return transactions.run(
                tx -> old.stream().filter(post -> remove(tx, post)).count());
    }

    /** Removes some likes or comments of posts that have gone, and returns how many documents went; 0 if there are no more. */
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
