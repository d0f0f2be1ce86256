package dev.semel.store.spi;

import dev.semel.key.KeyRange;
import dev.semel.store.Document;
import dev.semel.store.StoreException;
import dev.semel.store.spi.Commit.DocumentWrite;
import java.sql.Connection;
import java.util.List;

/**
 * A store of documents and idempotency records, with transactions across keys. Atomic operations run on it.
 *
 * <p>Commits are serializable: they take effect one after another, and a reader who sees one write of a commit sees all of them from then
 * on. An expired document counts as absent.
 */
public interface DocumentStore extends OnceStore, Document.Reader {

    /**
     * A scan of documents in key order.
     *
     * @param collection the collection
     * @param owner the user whose documents are scanned; empty for shared documents
     * @param index name of the secondary index to scan; empty for the documents' own keys
     * @param range lower and upper bound of the keys
     * @param after the key after which to start, in the direction of the scan; empty to start at the bound
     * @param limit the most documents to return. Fewer are returned if their data reaches {@value #ENOUGH_BYTES} bytes
     * @param descending whether to scan from the highest key to the lowest
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

        /**
         * Checks the limit.
         *
         * @throws IllegalArgumentException if the limit is below 1
         */
        public Scan {
            if (limit < 1) {
                throw new IllegalArgumentException("The limit of a scan must be at least 1, not " + limit);
            }
        }

        /** Makes a scan from the lowest key to the highest. */
        public Scan(String collection, String owner, String index, KeyRange range, String after, int limit) {
            this(collection, owner, index, range, after, limit, false);
        }

        /** Returns this scan with another limit. */
        public Scan withLimit(int limit) {
            return new Scan(collection, owner, index, range, after, limit, descending);
        }
    }

    /**
     * A store of documents in a database that applications use by JDBC. Documents can be created in a transaction of the application: they exist
     * if it commits.
     */
    interface Jdbc extends DocumentStore {

        /**
         * Creates a document without an owner in the transaction of a connection. {@linkplain OrderedStore#watch Watchers} are notified when it
         * commits. The connection keeps its role and settings.
         *
         * <p>The transaction does not lock the document as a commit does, so no commit may write a document with the same key meanwhile. If
         * another transaction has created one and has not ended, this waits for it.
         *
         * @param connection a connection to the database of the store, with auto-commit off
         * @param commitId becomes the commit id of the document
         * @return false if the key is in use, even by an expired document
         * @throws IllegalArgumentException if the connection is in auto-commit mode, or if the document has an owner or needs a commit sequence
         *     number
         * @throws StoreException if the database fails; then the transaction can only be rolled back
         */
        boolean create(Connection connection, String commitId, DocumentWrite.Put put);

        /**
         * Returns documents in key order, as the transaction of a connection sees them. The connection keeps its role and settings.
         *
         * @param connection a connection to the database of the store, with auto-commit off
         * @throws IllegalArgumentException if the connection is in auto-commit mode
         * @throws StoreException if the database fails; then the transaction can only be rolled back
         */
        List<Document> scan(Connection connection, Scan scan);
    }

    /** Applies all writes if all preconditions hold; otherwise changes nothing, and returns which precondition failed. */
    CommitResult commit(Commit commit);

    /** Returns documents in key order, all as of one moment. */
    List<Document> scan(Scan scan);

    /** Whether no other process can use the store while this one has it open. */
    default boolean isExclusive() {
        return false;
    }

    @Override
    default CommitResult compareAndSet(String commitId, IdempotencyWrite write) {
        return commit(Commit.of(commitId, write));
    }
}
