package dev.semel.store;

/**
 * Another key by which a document is found. Within its collection, owner and name it has to be unique, as a document's own key is;
 * those of {@code Records} are.
 *
 * @param name which of the collection's further keys it is
 * @param key the key: 1 to {@value DocumentId#LONGEST_KEY} visible ASCII characters; or its beginning, if it is to be placed
 * @param placed whether the store ends it with the {@linkplain Document#place() place} that it gives the document
 */
public record FurtherKey(String name, String key, boolean placed) {

    /** Name of the further key that sorts by the order of commits. */
    public static final String IN_ORDER = "in-order";

    private static final int PLACE_LENGTH = 13; // of the largest long
    private static final int RADIX = 36;

    /** @throws dev.semel.id.MalformedException if the key is missing or malformed */
    public FurtherKey {
        if (!placed || !key.isEmpty()) {
            DocumentId.checkVisible("further key", key, DocumentId.LONGEST_KEY - (placed ? PLACE_LENGTH : 0));
        }
    }

    /** A key that is known whole. */
    public FurtherKey(String name, String key) {
        this(name, key, false);
    }

    /** A key with a given beginning that sorts by the order of commits. */
    public static FurtherKey placed(String beginning) {
        return new FurtherKey(IN_ORDER, beginning, true);
    }

    /** The whole key of a document with a given place. */
    public FurtherKey at(long place) {
        return placed ? new FurtherKey(name, key + text(place)) : this;
    }

    /** Whether a whole key ends with a given place. */
    public static boolean endsWith(long place, String key) {
        return key.endsWith(text(place));
    }

    /** Whether a key may be one that ends with a place. */
    public static boolean endsWithPlace(String key) {
        return key.length() >= PLACE_LENGTH && key.chars().allMatch(c -> c > ' ' && c < 0x7F);
    }

    private static String text(long place) {
        String digits = Long.toString(place, RADIX);
        return "0".repeat(PLACE_LENGTH - digits.length()) + digits;
    }
}
