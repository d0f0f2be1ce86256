package dev.semel.store;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A change to a once-record. What depends on the moment of the commit is filled in by the store, with {@link #stamp}.
 *
 * @param expected how the record has to stand
 * @param record what it becomes; a fence of 0 asks for a new one
 * @param life how long from the commit on to its deadline; null if it has none
 * @param afterlife how long from its deadline on until nothing need be known of it; at least as long as a quota may count it
 * @param quota how many new keys the user may begin, if this one is new
 */
public record OnceWrite(
        Expected expected, OnceRecord record, @Nullable Duration life, Duration afterlife, Quota quota) {

    public OnceWrite {
        if (life != null && life.plus(afterlife).compareTo(Quota.LONGEST) < 0) {
            afterlife = Quota.LONGEST.minus(life);
        }
    }

    /** Whether a key is begun that was not there before, or was past its time: what a quota counts. */
    public boolean isNewKey() {
        return record.fence() == 0 && record.attempts() == 1;
    }

    /**
     * The record as it is written.
     *
     * @param fences gives the next fence, higher than all before
     * @param now the time of the commit
     */
    public OnceRecord stamp(String attempt, LongSupplier fences, Instant now) {
        return new OnceRecord(
                record.key(),
                record.clientTxId(),
                record.fingerprint(),
                record.status(),
                record.ifAbandoned(),
                record.attempts(),
                attempt,
                record.fence() == 0 ? fences.getAsLong() : record.fence(),
                isNewKey() ? now : record.createdAt(),
                life == null ? null : now.plus(life),
                life == null ? null : now.plus(life).plus(afterlife),
                record.response());
    }
}
