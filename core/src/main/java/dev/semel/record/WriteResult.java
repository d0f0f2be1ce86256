package dev.semel.record;

import dev.semel.store.Document;

/** What became of a change to a record. */
public sealed interface WriteResult {

    /** It is written; for a removal, this is what was there. */
    record Written(Document document) implements WriteResult {}

    /** There is a record under that key already, and it was left as it is. */
    record Taken(Document current) implements WriteResult {}

    /** The record has another version than expected, and was left as it is. */
    record Stale(Document current) implements WriteResult {}

    /** There is no record under that key. */
    record Missing() implements WriteResult {}
}
