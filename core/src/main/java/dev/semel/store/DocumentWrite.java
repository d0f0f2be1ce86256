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

        /** Whether the store has to give the document a place. */
        public boolean wantsPlace() {
            return document.place() == 0 && furtherKeys.stream().anyMatch(FurtherKey::placed);
        }

        /** Removes another document that has the same keys, but its own place. */
        public Delete removalOf(Document old) {
            return new Delete(
                    old.id(),
                    furtherKeys.stream().map(further -> further.at(old.place())).toList());
        }

        /** The same, with the place that the store gives to its commit if it wants one. */
        public Put at(long place) {
            return wantsPlace()
                    ? new Put(
                            document.at(place),
                            furtherKeys.stream()
                                    .map(further -> further.at(place))
                                    .toList())
                    : this;
        }
    }

    /** Removes a document, if it is there. */
    record Delete(DocumentId id, List<FurtherKey> furtherKeys) implements DocumentWrite {}
}
