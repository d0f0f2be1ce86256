package dev.semel.store;

import java.util.List;

/** A change to a document. */
public sealed interface DocumentWrite {

    /** Where the document is. */
    DocumentId id();

    /** All further keys by which it is found: they come and go with the document. */
    List<FurtherKey> furtherKeys();

    /** Writes a document, whatever was there; the preconditions say what may have been. */
    record Put(Document document, List<FurtherKey> furtherKeys) implements DocumentWrite {
        @Override
        public DocumentId id() {
            return document.id();
        }
    }

    /** Removes a document, if it is there. */
    record Delete(DocumentId id, List<FurtherKey> furtherKeys) implements DocumentWrite {}
}
