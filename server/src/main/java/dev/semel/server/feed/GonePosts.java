package dev.semel.server.feed;

import static dev.semel.server.feed.FeedRecords.COMMENTS;
import static dev.semel.server.feed.FeedRecords.COUNTS;
import static dev.semel.server.feed.FeedRecords.DELETED;
import static dev.semel.server.feed.FeedRecords.LEFT_OVER;
import static dev.semel.server.feed.FeedRecords.LIKES;
import static dev.semel.server.feed.FeedRecords.POSTS;

import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.record.Records;
import dev.semel.record.WriteResult;
import dev.semel.store.Document;
import dev.semel.store.DocumentReader;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Removes what is left of posts that were deleted, their likes and comments; and posts that are older than they are to be kept, with
 * theirs. Nobody is told: it is not an event.
 */
final class GonePosts {

    private static final int POSTS_AT_A_TIME = 20;
    private static final int ROWS_AT_A_TIME = 100;

    private static final Json NOTHING = Json.of("{}");

    private final Transactions transactions;
    private final Store store;

    GonePosts(Transactions transactions) {
        this.transactions = transactions;
        this.store = transactions.store();
    }

    /** Removes likes and comments of some posts that were deleted, and returns how many documents went; 0 if there are no more. */
    long removeLeftOver() {
        long removed = 0;
        for (Document left : LEFT_OVER
                .scan(store, KeyRange.ofPrefix(""), null, POSTS_AT_A_TIME)
                .items()) {
            removed += removeAll(COMMENTS, left.key()) + removeAll(LIKES, left.key());
            transactions.run(tx -> LEFT_OVER.delete(tx, left.key()));
            removed++;
        }
        return removed;
    }

    /** Removes some posts that are older than that, and returns how many; 0 if there are no more. */
    long removeOld(Duration kept) {
        Instant end = store.clock().instant().minus(kept);
        long removed = 0;
        for (Document post :
                POSTS.oldest(store, Map.of(), null, POSTS_AT_A_TIME).items()) {
            if (post.createdAt().isAfter(end)) {
                return removed;
            }
            removed += remove(post.key()) ? 1 : 0;
        }
        return removed;
    }

    /** What is liked or commented on meanwhile has other counts, and is looked at again. */
    private boolean remove(String post) {
        while (true) {
            long seen = changes(store, post);
            removeAll(COMMENTS, post);
            removeAll(LIKES, post);
            Optional<Boolean> removed = transactions.run(tx -> {
                if (changes(tx, post) != seen) {
                    return Optional.empty();
                }
                boolean there = POSTS.delete(tx, post) instanceof WriteResult.Written;
                COUNTS.delete(tx, post);
                DELETED.create(tx, post, NOTHING);
                return Optional.of(there);
            });
            if (removed.isPresent()) {
                return removed.get();
            }
        }
    }

    private static long changes(DocumentReader reader, String post) {
        return COUNTS.read(reader, post).map(Document::version).orElse(0L);
    }

    private long removeAll(Records records, String post) {
        long removed = 0;
        List<Document> some;
        do {
            some = records.scan(store, KeyRange.ofPrefix(post + "-"), null, ROWS_AT_A_TIME)
                    .items();
            List<Document> going = some;
            transactions.run(tx -> {
                going.forEach(document -> records.delete(tx, document.key()));
                return going;
            });
            removed += some.size();
        } while (!some.isEmpty()); // a page ends early where its rows are large
        return removed;
    }
}
