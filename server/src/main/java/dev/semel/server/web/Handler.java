package dev.semel.server.web;

import dev.semel.document.Transactions.WriteConflictException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Does what a request asks. */
@FunctionalInterface
public interface Handler {

    /**
     * Handles a request. On an atomic route it may be called again for the same request, each time with a new transaction, of which only
     * the last is committed.
     *
     * @throws ProblemException if the request is rejected
     */
    ApiResponse handle(Request request);

    /** What happens after write conflicts; empty for the default. */
    default Optional<ConflictPolicy> conflictPolicy() {
        return Optional.empty();
    }

    /**
     * What happens after write conflicts.
     *
     * @param backoff pauses between the retries
     * @param whenExhausted the response if every retry conflicted
     */
    record ConflictPolicy(List<Duration> backoff, Function<WriteConflictException, ProblemException> whenExhausted) {}
}
