package dev.semel.once;

import static java.util.stream.Collectors.toUnmodifiableMap;

import dev.semel.store.Response;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call. Most callers need only {@link #response()} or {@link #orElseThrow()}: a retry of a completed operation gets
 * the same response as the first call.
 */
public sealed interface Outcome {

    /**
     * The operation ran now, and its response is recorded.
     *
     * @param response the whole response, even if it is too large to be kept for retries
     * @param attempt how often the operation was started, including this time
     * @param expiresAt when the record expires, so that retries no longer get the response
     */
    record Executed(Response response, int attempt, Instant expiresAt) implements Outcome {}

    /**
     * The operation completed before, and its recorded response is replayed.
     *
     * @param response the recorded response, or {@linkplain Response#isKept() what was kept of it}
     * @param attempt how often the operation was started
     * @param createdAt when the key was first used
     * @param expiresAt when the record expires, so that retries no longer get the response
     */
    record Replayed(Response response, int attempt, Instant createdAt, Instant expiresAt) implements Outcome {}

    /**
     * The same operation is in progress and did not complete within the call's {@link Call#maxWait()}.
     *
     * @param retryAfter when to retry
     */
    record InProgress(Duration retryAfter) implements Outcome {}

    /** The key was used before with another payload. */
    record Mismatch() implements Outcome {}

    /**
     * The user has started as many new keys as the quota allows.
     *
     * @param retryAfter when they may start another
     */
    record Limited(Duration retryAfter) implements Outcome {}

    /**
     * The operation ran now and failed, and none of its writes stay. A retry with the same key runs it again.
     *
     * @param cause what the operation threw
     * @param attempt how often the operation was started, including this time
     */
    record Failed(Throwable cause, int attempt) implements Outcome {}

    /**
     * The key was used before and has expired, and the settings reject such keys.
     *
     * @param createdAt when the key was first used
     * @param expiredAt when the record expired
     */
    record Expired(Instant createdAt, Instant expiredAt) implements Outcome {}

    /**
     * The owner crashed and the operation must not be run again. An operator has to find out what became of it.
     *
     * @param attempt how often the operation was started
     * @param createdAt when the key was first used
     */
    record Unknown(int attempt, Instant createdAt) implements Outcome {}

    /** Returns the response if the operation was executed now or before; otherwise null. */
    default @Nullable Response response() {
        return null;
    }

    /**
     * Returns the response.
     *
     * @throws NoResponseException if there is none. It carries the {@link NoResponseException#outcome() outcome}; after a failure, its
     *     cause is the exception of the operation
     */
    default Response orElseThrow() {
        Response response = response();
        if (response == null) {
            throw new NoResponseException(this);
        }
        return response;
    }

    /** Returns the name of this outcome in metrics and traces, such as {@code in_progress}. */
    default String name() {
        return Names.BY_KIND.getOrDefault(getClass(), "");
    }

    /** Returns the names of all kinds of outcomes. */
    static Map<Class<?>, String> names() {
        return Names.BY_KIND;
    }

    /** Thrown by {@link #orElseThrow()} for a call that got no response. */
    final class NoResponseException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient Outcome outcome;

        private NoResponseException(Outcome outcome) {
            super("No response: " + outcome.name(), outcome instanceof Failed failed ? failed.cause() : null);
            this.outcome = outcome;
        }

        /** Returns the outcome of the call. */
        public Outcome outcome() {
            return outcome;
        }
    }
}

/** The names of outcomes: those of their classes in snake case. */
final class Names {

    static final Map<Class<?>, String> BY_KIND =
            Arrays.stream(Outcome.class.getPermittedSubclasses()).collect(toUnmodifiableMap(kind -> kind, Names::of));

    private Names() {}

    private static String of(Class<?> kind) {
        return kind.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
    }
}
