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
 * Hears of commits with a sequence number, by whichever server, on a connection that it keeps. One that is lost is replaced by another, as
 * soon as there is one to be had; and because nobody knows what was missed meanwhile, that counts as news.
 */
final class CommitNotifications implements AutoCloseable {

    /** The channel that commits with a sequence number notify, whatever their schema. */
    static final String CHANNEL = "semel_commits";

    private static final int TURN_MILLIS = 200; // and then it looks whether it was closed
    private static final int TURNS_WITHOUT_NEWS = 25; // and then it looks whether the connection is there still
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

    /** Starts to listen, on a thread of its own. */
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
            execute(connection, "unlisten " + CHANNEL); // it may be somebody's who lends it to others
            connection.setAutoCommit(commitsItself);
        } catch (SQLException e) {
            return; // another one is tried; and callers of the store get an exception if there is none
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

    /** Gives the connection back, and waits a little until that is done. */
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
