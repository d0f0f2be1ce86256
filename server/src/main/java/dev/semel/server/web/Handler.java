package dev.semel.server.web;

import dev.semel.document.Transactions.WriteConflictException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Handles the requests of a route. */
@FunctionalInterface
public interface Handler {

    /**
     * Handles a request. On an atomic route, it may be called several times for one request, each time with a new transaction, of which
     * only the last is committed.
     *
     * @throws ProblemException if the request is rejected
     */
    ApiResponse handle(Request request);

    /**
     * Returns how write conflicts of a request are handled; empty for the default.
     *
     * @param headers returns the value of a header of the request, or null
     */
    default Optional<ConflictPolicy> conflictPolicy(Function<String, @Nullable String> headers) {
        return Optional.empty();
    }

    /**
     * How write conflicts are handled.
     *
     * @param backoff the pauses between retries
     * @param whenExhausted the response if every retry conflicted
     */
    record ConflictPolicy(List<Duration> backoff, Function<WriteConflictException, ProblemException> whenExhausted) {}
}
