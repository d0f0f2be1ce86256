package dev.semel.store;

import dev.semel.key.KeyRange;

/**
 * A run of documents in the order of a key.
 *
 * @param collection in which
 * @param owner whose, or empty where they are everybody's
 * @param furtherKey name of the further key whose order it is, or empty for the documents' own key
 * @param range from where to where
 * @param after the key behind which to begin, in the direction of the scan; or empty to begin with the range
 * @param limit the most documents to return; fewer where they are so large that together they have {@value #ENOUGH_BYTES} bytes
 * @param descending whether it goes from the highest key to the lowest
 */
public record Scan(
        String collection,
        String owner,
        String furtherKey,
        KeyRange range,
        String after,
        int limit,
        boolean descending) {

    /** A scan ends behind the document with which the data of all that it returns has this many bytes. */
    public static final int ENOUGH_BYTES = 4 << 20;

    /** @throws IllegalArgumentException if the limit is below 1 */
    public Scan {
        if (limit < 1) {
            throw new IllegalArgumentException("A scan of " + limit + " documents");
        }
    }

    /** From the lowest key to the highest. */
    public Scan(String collection, String owner, String furtherKey, KeyRange range, String after, int limit) {
        this(collection, owner, furtherKey, range, after, limit, false);
    }

    /** The same with another limit. */
    public Scan withLimit(int limit) {
        return new Scan(collection, owner, furtherKey, range, after, limit, descending);
    }
}
