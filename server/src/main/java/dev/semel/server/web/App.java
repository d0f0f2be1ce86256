package dev.semel.server.web;

import dev.semel.store.Sweeper;
import java.util.List;

/** One of the systems behind the port. */
@FunctionalInterface
public interface App {

    /** Declares what it answers. */
    void declare(Routes routes);

    /** What it lets go with every sweep. */
    default List<Sweeper.Task> sweepTasks() {
        return List.of();
    }

    /** The names under which it keeps keys of a user beside their own, to be erased with them. */
    default List<String> namesFor(String user) {
        return List.of();
    }

    /** Ends what would go on for ever: the server stops. */
    default void stop() {}
}
