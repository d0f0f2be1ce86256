package dev.semel.postgres;

import dev.semel.store.Response;
import java.sql.Connection;

/** An operation whose only effects are the writes that it makes on a connection. */
@FunctionalInterface
public interface JdbcOperation {

    /**
     * Runs the operation in a transaction that has been started. The operation must not commit, roll back or close the connection, nor use
     * it after this method has returned.
     *
     * @param connection acts as the role that it logged in as
     * @return the response, which is recorded; a {@linkplain Response#asRefusal() refusal} discards the writes
     * @throws Exception if the operation failed: its writes are discarded, and a retry runs it again
     */
    Response run(Connection connection) throws Exception;
}
