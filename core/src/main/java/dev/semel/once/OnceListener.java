package dev.semel.once;

import dev.semel.store.OnceKey;
import java.time.Duration;

/** Hears what the engine does, to count it or to log it. What it throws is ignored; what it is slow at makes calls slow. */
public interface OnceListener {

    /** Hears nothing. */
    OnceListener NONE = new OnceListener() {};

    /** A call came in: it ends, or breaks off. */
    default void called(OnceKey key) {}

    /** A call broke off without an outcome, since the store failed or it was not allowed. */
    default void brokeOff(OnceKey key, Throwable cause) {}

    /** A call came to an end. */
    default void ended(OnceKey key, Outcome outcome, Duration took) {}

    /** A key was begun that was not there before. */
    default void keyCreated(OnceKey key) {}

    /** A key was used again after its time was over, and counts as new. */
    default void expiredKeyReused(OnceKey key) {}

    /** An abandoned operation was taken over from an owner who had vanished. */
    default void takenOver(OnceKey key, long fence) {}

    /** An owner came back after its operation was taken over or frozen, and what it brought was not recorded. */
    default void completionRefused(OnceKey key, long fence) {}
}
