package dev.semel.testkit.client;

import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/**
 * Controls a client that queues requests and sends them. The client may run in another process, or in a browser. The test calls the methods
 * from one thread at a time. The client gets its tokens from {@code POST /v1/dev/token}, and waits for a response for a few seconds at most.
 */
public interface ClientDriver extends AutoCloseable {

    /**
     * A request to queue.
     *
     * @param payload JSON; empty for none
     */
    record Request(String method, String endpoint, String payload, String lane) {

        /** Returns what identifies the request in the log of the proxy. */
        public String identity() {
            return Attempt.identity(method, endpoint, payload);
        }
    }

    /**
     * An entry as the client shows it.
     *
     * @param status {@code pending}, {@code failed} or {@code confirmed}
     * @param lastError why the last attempt was not confirmed; empty if there was none
     */
    record Entry(String id, String idempotencyKey, String clientTxId, String lane, String status, String lastError) {}

    /** Starts the client with the entries that it had, or continues after {@link #stop}. It sends to the given address. */
    void start(URI api);

    /** Stops the client in an orderly way. Entries can be added only after {@link #start}. */
    void stop();

    /** Ends the client at once, as {@code kill -9} does. Its stored entries remain. */
    void kill();

    /** Queues a request durably, and returns the id of the entry. */
    String add(Request request);

    /** Returns all entries, confirmed ones included. */
    List<Entry> entries();

    /** Lets a failed entry be sent again. */
    void retry(String id);

    /** Removes an entry that waits or has failed. */
    void discard(String id);

    /** Notifies the client that there is a network again, or none, if its platform does so. The proxy has been switched before. */
    default void network(boolean isOn) {}

    /**
     * Sets the client's clock forward.
     *
     * @return false if the clock of this client cannot be set
     */
    default boolean advance(Duration step) {
        return false;
    }

    /** Returns the client's clock. */
    default InstantSource clock() {
        return InstantSource.system();
    }

    /** Returns how many times faster than real time the client's clock runs. */
    default double speed() {
        return 1;
    }

    /**
     * Whether the client's platform sends a request a second time by itself if a connection that was used before ends without a response, as
     * browsers do. The proxy then closes each connection after one response, so that all attempts are those of the client.
     */
    default boolean resends() {
        return false;
    }

    /** Ends the client and deletes its entries. */
    @Override
    void close();
}
