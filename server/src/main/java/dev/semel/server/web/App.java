package dev.semel.server.web;

/** One of the systems behind the port. */
@FunctionalInterface
public interface App {

    /** Declares what it answers. */
    void declare(Routes routes);

    /** Ends what would go on for ever: the server stops. */
    default void stop() {}
}
