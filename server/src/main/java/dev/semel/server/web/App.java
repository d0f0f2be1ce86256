package dev.semel.server.web;

import dev.semel.store.admin.Sweeper;
import java.util.List;

/** A system that the server runs: it declares routes and handles their requests. */
@FunctionalInterface
public interface App {

    /** Declares the routes of the system. */
    void declare(Routes routes);

    /** Returns additional cleanup that is part of every sweep. */
    default List<Sweeper.Task> sweepTasks() {
        return List.of();
    }

    /** Returns the internal user names under which the system records keys for a user. They are erased with the user. */
    default List<String> internalUsersOf(String user) {
        return List.of();
    }

    /** Ends background work when the server stops. */
    default void stop() {}
}
