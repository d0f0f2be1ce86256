package dev.semel.store;

import dev.semel.key.KeyRange;

/**
 * A run of documents in the order of a key.
 *
 * @param collection in which
 * @param owner whose, or empty where they are everybody's
 * @param furtherKey name of the further key whose order it is, or empty for the documents' own key
 * @param range from where to where
 * @param after the key behind which to begin, or empty to begin with the range
 * @param limit the most documents to return
 */
public record Scan(String collection, String owner, String furtherKey, KeyRange range, String after, int limit) {

    /** @throws IllegalArgumentException if the limit is below 1 */
    public Scan {
        if (limit < 1) {
            throw new IllegalArgumentException("A scan of " + limit + " documents");
        }
    }
}
