package dev.semel.testkit.client;

import java.time.Duration;
import java.util.List;

/** Controls the server that the client sends to, and reads from it what the requests did. */
public interface ServerDriver {

    /** Returns the port on which the server listens on this machine. It may change with each start. */
    int port();

    /** Ends the server at once, as {@code kill -9} does. */
    void kill();

    /** Starts the server with the data that it had. Returns when it is ready. */
    void start();

    /**
     * Sets the server's clock forward.
     *
     * @return false if the clock of this server cannot be set
     */
    default boolean advance(Duration step) {
        return false;
    }

    /** Returns the texts of all posts that the client has made, in the order in which they were committed. */
    List<String> effects();
}
