package dev.semel.server.web;

import dev.semel.store.admin.Sweeper;
import java.util.List;

/** A system that the server serves. */
@FunctionalInterface
public interface App {

    /** Declares its routes. */
    void declare(Routes routes);

    /** What it deletes with every sweep. */
    default List<Sweeper.Task> sweepTasks() {
        return List.of();
    }

    /** Internal user names under which it records keys for a user; they are erased with the user. */
    default List<String> internalUsersOf(String user) {
        return List.of();
    }

    /** Ends what runs in the background: the server stops. */
    default void stop() {}
}
