package dev.semel.store;

/**
 * Another key by which a document is found. Within its collection, owner and name it is unique, as a document's own key is.
 *
 * @param name which of the collection's further keys it is
 * @param key the key
 */
public record FurtherKey(String name, String key) {}
