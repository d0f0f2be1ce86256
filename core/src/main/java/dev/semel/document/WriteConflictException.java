package dev.semel.document;

import dev.semel.store.DocumentId;

/** Others kept changing a document that a transaction was about to write. Nothing was written. */
public final class WriteConflictException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient DocumentId id;
    private final long version;

    WriteConflictException(DocumentId id, long version, int attempts) {
        super("A document of " + id.collection() + " was changed by others " + attempts + " times in a row");
        this.id = id;
        this.version = version;
    }

    /** The document. */
    public DocumentId id() {
        return id;
    }

    /** The version it has now, or 0 if it is not there. */
    public long version() {
        return version;
    }
}
