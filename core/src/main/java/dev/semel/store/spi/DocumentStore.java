package dev.semel.store.spi;

import dev.semel.key.KeyRange;
import dev.semel.store.Document;
import java.util.List;

/**
 * A store of documents beside idempotency records, with transactions across keys. Atomic operations run on it.
 *
 * <p>Commits are serializable: they take effect one after another, and a reader who sees one write of a commit sees all of them
 * from then on. An expired document counts as absent.
 */
public interface DocumentStore extends OnceStore, Document.Reader {

    /**
     * A range of documents in key order.
     *
     * @param collection the collection
     * @param owner the user whose documents they are, or empty for shared ones
     * @param index name of the secondary index whose order it is, or empty for the documents' own keys
     * @param range lower and upper bound
     * @param after the key after which to start, in the direction of the scan; or empty to start at the bound
     * @param limit the most documents to return; fewer if their data reaches {@value #ENOUGH_BYTES} bytes before
     * @param descending whether it goes from the highest key to the lowest
     */
    record Scan(
            String collection,
            String owner,
            String index,
            KeyRange range,
            String after,
            int limit,
            boolean descending) {

        /** A scan ends with the document that brings the size of all returned data to this many bytes. */
        public static final int ENOUGH_BYTES = 4 << 20;

        /** @throws IllegalArgumentException if the limit is below 1 */
        public Scan {
            if (limit < 1) {
                throw new IllegalArgumentException("A scan of " + limit + " documents");
            }
        }

        /** From the lowest key to the highest. */
        public Scan(String collection, String owner, String index, KeyRange range, String after, int limit) {
            this(collection, owner, index, range, after, limit, false);
        }

        /** The same with another limit. */
        public Scan withLimit(int limit) {
            return new Scan(collection, owner, index, range, after, limit, descending);
        }
    }

    /** Checks all preconditions and, if they hold, applies all writes; otherwise changes nothing and returns which one failed. */
    CommitResult commit(Commit commit);

    /** Documents in key order, as of one moment. */
    List<Document> scan(Scan scan);

    @Override
    default CommitResult compareAndSet(String commitId, IdempotencyWrite write) {
        return commit(Commit.of(commitId, write));
    }
}
