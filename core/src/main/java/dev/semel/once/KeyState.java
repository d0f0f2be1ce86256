package dev.semel.once;

import dev.semel.once.OnceSettings.IfExpired;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.OnceStore.Lookup;

/**
 * The state of a key, and what a call does in it: all decisions of the engine, as one table.
 *
 * <p>Two columns: the action if the call has the same fingerprint as the record, and if it has another.
 */
enum KeyState {
    /** There is no record. */
    ABSENT(Action.START, Action.START),
    /** It completed or failed, and its record has expired. */
    EXPIRED(Action.START, Action.START),
    /** It is in progress, and its owner's lease is live. */
    RUNNING(Action.REPORT_IN_PROGRESS, Action.REPORT_MISMATCH),
    /** Its owner crashed, and it may be run again. */
    ABANDONED(Action.START, Action.REPORT_MISMATCH),
    /** Its owner crashed, and it must not be run again. */
    TO_FREEZE(Action.FREEZE, Action.REPORT_MISMATCH),
    COMPLETED(Action.REPLAY, Action.REPORT_MISMATCH),
    FAILED(Action.START, Action.REPORT_MISMATCH),
    UNKNOWN(Action.REPORT_UNKNOWN, Action.REPORT_MISMATCH);

    /** What a call does. */
    enum Action {
        /** Runs the operation: for the first time, or as another attempt with a higher fencing token. */
        START,
        /** Records that the owner crashed and the operation must not be run again. */
        FREEZE,
        REPORT_IN_PROGRESS,
        REPORT_UNKNOWN,
        REPORT_MISMATCH,
        /** Rejects an expired key, if the settings say so. */
        REPORT_EXPIRED,
        REPLAY,
    }

    private final Action same;
    private final Action other;

    KeyState(Action same, Action other) {
        this.same = same;
        this.other = other;
    }

    Action action(boolean sameFingerprint, IfExpired ifExpired) {
        if (this == EXPIRED && ifExpired == IfExpired.REJECT) {
            return Action.REPORT_EXPIRED;
        }
        return sameFingerprint ? same : other;
    }

    /** The state of a key that was looked up. */
    static KeyState of(Lookup found) {
        IdempotencyRecord record = found.record();
        if (record == null) {
            return ABSENT;
        }
        return switch (record.statusAt(found.now())) {
            case UNKNOWN -> record.status() == Status.PROCESSING ? TO_FREEZE : UNKNOWN;
            case COMPLETED -> COMPLETED;
            case FAILED -> FAILED;
            case EXPIRED -> EXPIRED;
            case PROCESSING -> record.isExpiredAt(found.now()) ? ABANDONED : RUNNING;
        };
    }
}
