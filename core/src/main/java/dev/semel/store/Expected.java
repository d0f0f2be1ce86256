package dev.semel.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a once-record has to stand for a write to go ahead: the compare of compare-and-set.
 *
 * @param fence the fence it has to have, or 0 if there must be none
 * @param status the status it has to have, or null if there must be none
 * @param deadline the deadline it has to have, or null if that does not matter: an owner's lease may have been extended
 */
public record Expected(
        long fence, @Nullable OnceStatus status, @Nullable Instant deadline) {

    /** There is no record. */
    public static final Expected ABSENT = new Expected(0, null, null);

    /** The record stands just as it was seen: nobody has touched it since. */
    public static Expected asSeen(@Nullable OnceRecord seen) {
        return seen == null ? ABSENT : new Expected(seen.fence(), seen.status(), seen.deadline());
    }

    /** The operation is still in the hands of the owner of a fence. */
    public static Expected ownedBy(long fence) {
        return new Expected(fence, OnceStatus.PROCESSING, null);
    }

    /** Whether a record stands like this. */
    public boolean isMetBy(@Nullable OnceRecord current) {
        if (current == null) {
            return fence == 0;
        }
        return fence == current.fence()
                && status == current.status()
                && (deadline == null || deadline.equals(current.deadline()));
    }
}
