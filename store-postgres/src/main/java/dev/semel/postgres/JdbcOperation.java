package dev.semel.postgres;

import dev.semel.store.Response;
import java.sql.Connection;

/** An operation whose whole effect is what it does on a connection. */
@FunctionalInterface
public interface JdbcOperation {

    /**
     * Runs, in a transaction that is in progress. The connection acts as whoever it logged in as, and is lent for this run alone: to
     * commit it, to roll it back or to close it is not the operation's to do.
     *
     * @return what is answered; a {@linkplain Response#asRefusal() refusal} throws away what was written
     * @throws Exception if it did not work: what was written is thrown away, and a retry runs it again
     */
    Response run(Connection connection) throws Exception;
}
