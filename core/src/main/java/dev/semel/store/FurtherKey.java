package dev.semel.store;

/**
 * Another key by which a document is found. Within its collection, owner and name it has to be unique, as a document's own key is;
 * those of {@code Records} are.
 *
 * @param name which of the collection's further keys it is
 * @param key the key: 1 to {@value DocumentId#LONGEST_KEY} visible ASCII characters
 */
public record FurtherKey(String name, String key) {

    /** @throws dev.semel.id.MalformedException if the key is missing or malformed */
    public FurtherKey {
        DocumentId.checkVisible("further key", key, DocumentId.LONGEST_KEY);
    }
}
