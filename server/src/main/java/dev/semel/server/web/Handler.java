package dev.semel.server.web;

import dev.semel.store.ConflictException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Does what a request asks. */
@FunctionalInterface
public interface Handler {

    /**
     * Does it, or throws a {@link Refusal}. Where the route is atomic it may be called again for the same request, each time with a
     * new transaction of which only the last is committed.
     */
    Answer handle(Request request);

    /** What is done when others were quicker; empty for what is usual. */
    default Optional<Overtaken> overtaken() {
        return Optional.empty();
    }

    /**
     * What is done when others were quicker.
     *
     * @param pauses after each of them it is tried again
     * @param refusal what is answered if that did not help
     */
    record Overtaken(List<Duration> pauses, Function<ConflictException, Refusal> refusal) {}
}
