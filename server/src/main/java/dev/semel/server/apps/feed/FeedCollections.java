package dev.semel.server.apps.feed;

import dev.semel.document.DocumentCollection;
import dev.semel.key.KeyTemplate;
import dev.semel.server.web.ProblemException;
import dev.semel.store.Document;

/** What is kept of a feed. What changes often is apart from what does not, so that a like touches neither the post nor its place. */
final class FeedCollections {

    static final DocumentCollection POSTS =
            DocumentCollection.of("feed/posts", KeyTemplate.of("{post:tid62}")).inCommitOrder();

    static final DocumentCollection COMMENTS = DocumentCollection.of(
                    "feed/comments", KeyTemplate.of("{post:tid62}-{comment:tid62}"))
            .inCommitOrder("post");

    /** One for each post and user. */
    static final DocumentCollection LIKES =
            DocumentCollection.of("feed/likes", KeyTemplate.of("{post:tid62}-{user:text}"));

    /** How many likes and comments a post has, from the first of them on. */
    static final DocumentCollection COUNTS = DocumentCollection.of("feed/counts", KeyTemplate.of("{post:tid62}"));

    /** Ids of posts that were deleted: none is used again, or it would come with the likes of another. */
    static final DocumentCollection DELETED = DocumentCollection.of("feed/deleted", KeyTemplate.of("{post:tid62}"));

    /** Posts that were deleted, whose likes and comments are still to be removed. */
    static final DocumentCollection LEFT_OVER = DocumentCollection.of("feed/left-over", KeyTemplate.of("{post:tid62}"));

    /** What happened to the feed, for a while. */
    static final DocumentCollection EVENTS = DocumentCollection.of("feed/events", KeyTemplate.of("{event:tid62}"))
            .inCommitOrder();

    private FeedCollections() {}

    /** A post that has to be there. */
    static Document post(Document.Reader reader, String id) {
        if (!POSTS.key().isValid(id)) {
            throw ProblemException.notFound("post");
        }
        return POSTS.read(reader, id).orElseThrow(() -> ProblemException.notFound("post"));
    }
}
