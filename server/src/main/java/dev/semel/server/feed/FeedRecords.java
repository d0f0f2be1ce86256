package dev.semel.server.feed;

import dev.semel.key.KeyTemplate;
import dev.semel.record.Records;
import dev.semel.server.web.Refusal;
import dev.semel.store.Document;
import dev.semel.store.DocumentReader;

/** What is kept of a feed. What changes often is apart from what does not, so that a like touches neither the post nor its place. */
final class FeedRecords {

    static final Records POSTS =
            Records.of("feed/posts", KeyTemplate.of("{post:tid62}")).inOrder();

    static final Records COMMENTS = Records.of("feed/comments", KeyTemplate.of("{post:tid62}-{comment:tid62}"))
            .inOrder("post");

    /** One for each post and user. */
    static final Records LIKES = Records.of("feed/likes", KeyTemplate.of("{post:tid62}-{user:text}"));

    /** How many likes and comments a post has, from the first of them on. */
    static final Records COUNTS = Records.of("feed/counts", KeyTemplate.of("{post:tid62}"));

    /** Ids of posts that were deleted: none is used again, or it would come with the likes of another. */
    static final Records DELETED = Records.of("feed/deleted", KeyTemplate.of("{post:tid62}"));

    /** Posts that were deleted, whose likes and comments are still to be removed. */
    static final Records LEFT_OVER = Records.of("feed/left-over", KeyTemplate.of("{post:tid62}"));

    /** What happened to the feed, for a while. */
    static final Records EVENTS =
            Records.of("feed/events", KeyTemplate.of("{event:tid62}")).inOrder();

    private FeedRecords() {}

    /** A post that has to be there. */
    static Document post(DocumentReader reader, String id) {
        if (!POSTS.key().isValid(id)) {
            throw Refusal.notFound("post");
        }
        return POSTS.read(reader, id).orElseThrow(() -> Refusal.notFound("post"));
    }
}
