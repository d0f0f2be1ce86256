package dev.semel.server.apps.feed;

import dev.semel.document.DocumentCollection;
import dev.semel.key.KeyTemplate;
import dev.semel.server.web.ProblemException;
import dev.semel.store.Document;

/**
 * The collections that store a feed. Counts are separate from posts, so that a like changes neither the post nor its position in commit
 * order.
 */
final class FeedCollections {

    static final DocumentCollection POSTS =
            DocumentCollection.of("feed/posts", KeyTemplate.of("{post:tid62}")).inCommitOrder();

    static final DocumentCollection COMMENTS = DocumentCollection.of(
                    "feed/comments", KeyTemplate.of("{post:tid62}-{comment:tid62}"))
            .inCommitOrder("post");

    /** One document for each post and user. */
    static final DocumentCollection LIKES =
            DocumentCollection.of("feed/likes", KeyTemplate.of("{post:tid62}-{user:text}"));

    /** Counts of likes and comments. A post has none before its first like or comment. */
    static final DocumentCollection COUNTS = DocumentCollection.of("feed/counts", KeyTemplate.of("{post:tid62}"));

    /** Ids of deleted posts. They cannot be used again, since likes of the deleted post may still exist. */
    static final DocumentCollection DELETED = DocumentCollection.of("feed/deleted", KeyTemplate.of("{post:tid62}"));

    /** Deleted posts whose likes and comments have not been deleted yet. */
    static final DocumentCollection LEFT_OVER = DocumentCollection.of("feed/left-over", KeyTemplate.of("{post:tid62}"));

    /** Events of the feed. They expire. */
    static final DocumentCollection EVENTS = DocumentCollection.of("feed/events", KeyTemplate.of("{event:tid62}"))
            .inCommitOrder();

    private FeedCollections() {}

    /**
     * Returns a post.
     *
     * @throws ProblemException if it does not exist
     */
    static Document post(Document.Reader reader, String id) {
        if (!POSTS.key().isValid(id)) {
            throw ProblemException.notFound("post");
        }
        return POSTS.read(reader, id).orElseThrow(() -> ProblemException.notFound("post"));
    }
}
