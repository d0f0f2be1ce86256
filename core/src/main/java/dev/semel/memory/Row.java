package dev.semel.memory;

import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit.IndexEntry;

/** The key of a document or of an index entry, in the order of scans. */
record Row(String space, String owner, String key) implements Comparable<Row> {

    static Row of(DocumentId id) {
        return new Row(id.collection(), id.owner(), id.key());
    }

    static Row of(DocumentId id, IndexEntry entry) {
        return new Row(space(id.collection(), entry.index()), id.owner(), entry.key());
    }

    /** Returns the name of the key space of a collection or an index. Collections have no space in their names, so the two never clash. */
    static String space(String collection, String index) {
        return index.isEmpty() ? collection : collection + " " + index;
    }

    @Override
    public int compareTo(Row other) {
        int bySpace = space.compareTo(other.space);
        if (bySpace != 0) {
            return bySpace;
        }
        int byOwner = owner.compareTo(other.owner);
        return byOwner != 0 ? byOwner : key.compareTo(other.key);
    }
}
