package dev.semel.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Preconditions and writes that go together, all or nothing.
 *
 * @param attempt made by the caller, never used for another commit; asking again with it is answered, not done again
 * @param once the change to a once-record, if there is one
 * @param writers by whom each of these documents has to have been {@linkplain Document#writtenBy() written}; empty if it must not
 *     be there
 * @param writes what is written
 */
public record Commit(
        String attempt, @Nullable OnceWrite once, Map<DocumentId, String> writers, Collection<DocumentWrite> writes) {

    /** A commit of a once-record alone. */
    public static Commit of(String attempt, OnceWrite once) {
        return new Commit(attempt, once, Map.of(), List.of());
    }

    /** Whether it creates a document that the store has to give a place to. */
    public boolean wantsPlace() {
        for (DocumentWrite write : writes) {
            if (write instanceof DocumentWrite.Put put && put.wantsPlace()) {
                return true;
            }
        }
        return false;
    }
}
