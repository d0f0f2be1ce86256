package dev.semel.document;

import dev.semel.store.Document;

/** What became of a change to a document. */
public sealed interface WriteResult {

    /** It is written; for a removal, this is what was there. */
    record Written(Document document) implements WriteResult {}

    /** There is a document under that key already, and it was left as it is. */
    record Taken(Document current) implements WriteResult {}

    /** The document has another version than expected, and was left as it is. */
    record Stale(Document current) implements WriteResult {}

    /** There is no document under that key. */
    record Missing() implements WriteResult {}
}
