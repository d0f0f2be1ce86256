package dev.semel.once;

import dev.semel.store.IdempotencyKey;
import java.time.Duration;

/** Receives events of the engine, to count or log them. Exceptions are ignored; a slow listener makes calls slow. */
public interface OnceListener {

    /** Ignores all events. */
    OnceListener NONE = new OnceListener() {};

    /** A call came in. It ends, or is aborted. */
    default void called(IdempotencyKey key) {}

    /** A call was aborted without an outcome: the store failed, or the call was not allowed. */
    default void aborted(IdempotencyKey key, Throwable cause) {}

    /** A call ended. */
    default void ended(IdempotencyKey key, Outcome outcome, Duration took) {}

    /** A new key was started. */
    default void keyCreated(IdempotencyKey key) {}

    /** An expired key was used again, and counts as new. */
    default void expiredKeyReused(IdempotencyKey key) {}

    /** An operation was taken over from a crashed owner. */
    default void takenOver(IdempotencyKey key, long fencingToken) {}

    /** An owner's completion was rejected, since its operation had been taken over or frozen. */
    default void completionRejected(IdempotencyKey key, long fencingToken) {}
}
