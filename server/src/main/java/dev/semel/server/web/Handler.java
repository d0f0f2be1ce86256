package dev.semel.server.web;

/** Does what a request asks. */
@FunctionalInterface
public interface Handler {

    /**
     * Does it, or throws a {@link Refusal}. Where the route is atomic it may be called again for the same request, each time with a
     * new transaction of which only the last is committed.
     */
    Answer handle(Request request);
}
