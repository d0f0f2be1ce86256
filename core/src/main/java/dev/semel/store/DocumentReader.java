package dev.semel.store;

import java.util.Optional;

/** Where a document can be read: in a store, or in a transaction that is under way. */
public interface DocumentReader {

    /** The document with a given id, unless there is none or it is past its time. */
    Optional<Document> read(DocumentId id);
}
