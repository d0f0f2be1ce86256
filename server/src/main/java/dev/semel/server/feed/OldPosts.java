package dev.semel.server.feed;

import static dev.semel.server.feed.FeedRecords.COMMENTS;
import static dev.semel.server.feed.FeedRecords.COUNTS;
import static dev.semel.server.feed.FeedRecords.DELETED;
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

/** Removes posts that are older than they are to be kept, with their likes and comments. Nobody is told: it is not an event. */
final class OldPosts {

    private static final int POSTS_AT_A_TIME = 20;
    private static final int ROWS_AT_A_TIME = 100;

    private static final Json NOTHING = Json.of("{}");

    private final Transactions transactions;
    private final Store store;
    private final Duration kept;

    OldPosts(Transactions transactions, Duration kept) {
        this.transactions = transactions;
        this.store = transactions.store();
        this.kept = kept;
    }

    /** Removes some, and returns how many; 0 if there are no more. */
    long removeSome() {
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

    private void removeAll(Records records, String post) {
        List<Document> some;
        do {
            some = records.scan(store, KeyRange.ofPrefix(post + "-"), null, ROWS_AT_A_TIME)
                    .items();
            List<Document> going = some;
            transactions.run(tx -> {
                going.forEach(document -> records.delete(tx, document.key()));
                return going;
            });
        } while (!some.isEmpty()); // a page ends early where its rows are large
    }
}
