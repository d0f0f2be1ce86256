package dev.semel.store;

import java.util.Optional;

/** Where a document can be read: in a store, or in a transaction that is in progress. */
public interface DocumentReader {

    /** The document with a given id, unless there is none or it is expired. */
    Optional<Document> read(DocumentId id);
}
