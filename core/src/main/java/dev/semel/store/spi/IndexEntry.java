package dev.semel.store.spi;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;

/**
 * An entry in a secondary index, by which a document is found. It has to be unique within its collection, owner and index; those of
 * {@code DocumentCollection} are.
 *
 * @param index name of the index
 * @param key the entry's key: 1 to {@value DocumentId#LONGEST_KEY} visible ASCII characters; a prefix of it, if it is sequenced
 * @param sequenced whether the store appends the document's {@linkplain Document#sequence() commit sequence number} to the key
 */
public record IndexEntry(String index, String key, boolean sequenced) {

    /** Name of the index in commit order. */
    public static final String COMMIT_ORDER = "commit-order";

    private static final int SEQUENCE_LENGTH = 13; // of the largest long
    private static final int RADIX = 36;

    /** @throws dev.semel.id.MalformedException if the key is missing or malformed */
    public IndexEntry {
        if (!sequenced || !key.isEmpty()) {
            DocumentId.checkVisible("index entry", key, DocumentId.LONGEST_KEY - (sequenced ? SEQUENCE_LENGTH : 0));
        }
    }

    /** An entry whose key is known. */
    public IndexEntry(String index, String key) {
        this(index, key, false);
    }

    /** An entry whose key begins with a prefix and sorts by commit sequence number. */
    public static IndexEntry inCommitOrder(String prefix) {
        return new IndexEntry(COMMIT_ORDER, prefix, true);
    }

    /** The whole entry of a document with a given sequence number. */
    public IndexEntry withSequence(long sequence) {
        return sequenced ? new IndexEntry(index, key + encoded(sequence)) : this;
    }

    /** Whether a whole key ends with a given sequence number. */
    public static boolean endsWith(long sequence, String key) {
        return key.endsWith(encoded(sequence));
    }

    /** Whether a key may be one that ends with a sequence number. */
    public static boolean endsWithSequence(String key) {
        return key.length() >= SEQUENCE_LENGTH && key.chars().allMatch(c -> c > ' ' && c < 0x7F);
    }

    private static String encoded(long sequence) {
        String digits = Long.toString(sequence, RADIX);
        return "0".repeat(SEQUENCE_LENGTH - digits.length()) + digits;
    }
}
