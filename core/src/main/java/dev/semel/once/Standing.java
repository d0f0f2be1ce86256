package dev.semel.once;

import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.Sighting;

/**
 * How a key stands, and what a call does about it: the whole of the engine's decisions.
 *
 * <p>Two columns: what is done if the call asks for the same as before, and if it asks for something else.
 */
enum Standing {
    /** There is no record. */
    NOTHING(Step.START, Step.START),
    /** It was completed or has failed, and its record is past its time. */
    EXPIRED(Step.START, Step.START),
    /** Its owner has a lease. */
    RUNNING(Step.TELL_RUNNING, Step.TELL_MISMATCH),
    /** Its owner vanished, and it may be run again. */
    ABANDONED(Step.START, Step.TELL_MISMATCH),
    /** Its owner vanished, and it must not be run again. */
    TO_FREEZE(Step.FREEZE, Step.TELL_MISMATCH),
    COMPLETED(Step.REPLAY, Step.TELL_MISMATCH),
    FAILED(Step.START, Step.TELL_MISMATCH),
    UNKNOWN(Step.TELL_UNKNOWN, Step.TELL_MISMATCH);

    /** What a call does. */
    enum Step {
        /** Runs the operation: for the first time, or once more with one more attempt and a higher fence. */
        START,
        /** Records that the owner vanished and that the operation must not be run again. */
        FREEZE,
        TELL_RUNNING,
        TELL_UNKNOWN,
        TELL_MISMATCH,
        /** Refuses a key that is past its time, where that was said. */
        TELL_EXPIRED,
        REPLAY,
    }

    private final Step same;
    private final Step other;

    Standing(Step same, Step other) {
        this.same = same;
        this.other = other;
    }

    Step step(boolean sameFingerprint, IfExpired ifExpired) {
        if (this == EXPIRED && ifExpired == IfExpired.REFUSE) {
            return Step.TELL_EXPIRED;
        }
        return sameFingerprint ? same : other;
    }

    /** How a key stands by what a store has seen. */
    static Standing of(Sighting seen) {
        OnceRecord record = seen.record();
        if (record == null) {
            return NOTHING;
        }
        boolean over = record.isOverAt(seen.now());
        return switch (record.stateAt(seen.now())) {
            case UNKNOWN -> record.status() == OnceStatus.PROCESSING ? TO_FREEZE : UNKNOWN;
            case COMPLETED -> COMPLETED;
            case FAILED -> FAILED;
            case EXPIRED -> EXPIRED;
            case PROCESSING -> over ? ABANDONED : RUNNING;
        };
    }
}
