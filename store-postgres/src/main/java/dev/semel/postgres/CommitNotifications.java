package dev.semel.postgres;

import dev.semel.store.Time;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Receives PostgreSQL's notifications of commits that have a sequence number, from all servers, on a connection that it keeps open. It
 * replaces a lost connection. It also signals a commit after each connect, because notifications may have been missed.
 */
final class CommitNotifications implements AutoCloseable {

    /** One channel for all schemas of a database: a notification of another schema only causes a poll. */
    static final String CHANNEL = "semel_commits";

    private static final int TURN_MILLIS = 200; // between checks whether it was closed
    private static final int TURNS_WITHOUT_NEWS = 25; // between checks whether the connection is still valid
    private static final int ANSWER_SECONDS = 5;
    private static final int PAUSE_MILLIS = 500;
    private static final int END_MILLIS = 2000;

    private final DataSource source;
    private final Runnable news;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    private CommitNotifications(DataSource source, Runnable news) {
        this.source = source;
        this.news = news;
    }

    /** Starts listening on a new thread. */
    static CommitNotifications start(DataSource source, Runnable news) {
        CommitNotifications listening = new CommitNotifications(source, news);
        Time.threads().execute(listening::run);
        return listening;
    }

    private void run() {
        try {
            do {
                listen();
            } while (!closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
    }

    private void listen() {
        try (Connection connection = source.getConnection()) {
            boolean commitsItself = connection.getAutoCommit();
            connection.setAutoCommit(true);
            execute(connection, "listen " + CHANNEL);
            news.run();
            receive(connection);
            execute(connection, "unlisten " + CHANNEL); // the source may be a pool
            connection.setAutoCommit(commitsItself);
        } catch (SQLException e) {
            return; // it connects again; if the database is down, calls of the store throw
        }
    }

    private void receive(Connection connection) throws SQLException {
        PGConnection postgres = connection.unwrap(PGConnection.class);
        int quiet = 0;
        while (closed.getCount() > 0) {
            PGNotification[] received = postgres.getNotifications(TURN_MILLIS);
            if (received != null && received.length > 0) {
                quiet = 0;
                news.run();
            } else if (++quiet % TURNS_WITHOUT_NEWS == 0 && !connection.isValid(ANSWER_SECONDS)) {
                throw new SQLException("The connection was lost");
            }
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Stops listening. Waits up to two seconds until the connection is closed. */
    @Override
    public void close() {
        closed.countDown();
        try {
            ended.await(END_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
