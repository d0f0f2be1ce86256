package dev.semel.once;

import dev.semel.store.Response;
import java.time.Duration;
import java.time.Instant;

/** What became of a call. */
public sealed interface Outcome {

    /**
     * It ran now, and its answer is recorded.
     *
     * @param response what it answered; whole, even if it is too large to be kept for retries
     * @param attempt how often it was begun, with this time
     * @param expiresAt until when retries are answered from the record
     */
    record Executed(Response response, int attempt, Instant expiresAt) implements Outcome {}

    /**
     * It had run before; this is what it answered then.
     *
     * @param response what it answered, or {@linkplain Response#isKept() what is left of it}
     * @param attempt how often it had been begun
     * @param createdAt when the key was first seen
     * @param expiresAt until when retries are answered from the record
     */
    record Replayed(Response response, int attempt, Instant createdAt, Instant expiresAt) implements Outcome {}

    /**
     * The same is under way, and has not come to an end in the time that the call was willing to wait.
     *
     * @param retryAfter when it is worth asking again
     */
    record InProgress(Duration retryAfter) implements Outcome {}

    /** The key was used for something else. */
    record Mismatch() implements Outcome {}

    /**
     * The user has begun as many keys as they may.
     *
     * @param retryAfter when they may begin another
     */
    record Limited(Duration retryAfter) implements Outcome {}

    /**
     * It ran now, and did not work; nothing that it wrote stays. A retry with the same key runs it again.
     *
     * @param cause what the operation threw
     * @param attempt how often it was begun, with this time
     */
    record Failed(Throwable cause, int attempt) implements Outcome {}

    /**
     * The key was used before and is past its time, and it was said that such keys are refused.
     *
     * @param createdAt when the key was first seen
     * @param expiredAt until when retries were answered from the record
     */
    record Expired(Instant createdAt, Instant expiredAt) implements Outcome {}

    /**
     * Whoever ran it vanished, and it must not be run again: an operator has to find out what became of it.
     *
     * @param attempt how often it was begun
     * @param createdAt when the key was first seen
     */
    record Unknown(int attempt, Instant createdAt) implements Outcome {}
}
