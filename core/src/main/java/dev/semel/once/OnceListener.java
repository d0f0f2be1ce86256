package dev.semel.once;

import dev.semel.store.IdempotencyKey;
import java.time.Duration;

/**
 * Receives the engine's events, to count or log them. Methods run on the threads of calls, so a slow listener makes calls slow.
 * Exceptions that they throw are ignored.
 */
public interface OnceListener {

    /** A listener that ignores all events. */
    OnceListener NONE = new OnceListener() {};

    /** Called when a call arrives, before its key is looked up. {@link #ended} or {@link #aborted} follows. */
    default void called(IdempotencyKey key) {}

    /** Called when a call throws instead of returning an outcome: the store failed, or the call was not allowed. */
    default void aborted(IdempotencyKey key, Throwable cause) {}

    /** Called when a call returns its outcome. */
    default void ended(IdempotencyKey key, Outcome outcome, Duration took) {}

    /** Called when an operation was started under a new key, or under one that had expired. */
    default void keyCreated(IdempotencyKey key) {}

    /** Called in addition when the key was used before and had expired. */
    default void expiredKeyReused(IdempotencyKey key) {}

    /** Called when an operation was taken over from a crashed owner. */
    default void takenOver(IdempotencyKey key, long fencingToken) {}

    /** Called when the completion of an owner was rejected because its operation had been taken over or frozen. */
    default void completionRejected(IdempotencyKey key, long fencingToken) {}
}
