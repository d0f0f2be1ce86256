package dev.semel.postgres;

import dev.semel.store.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Hears of places that were given, by whichever server, on a connection that it keeps. One that is lost is replaced by another, as
 * soon as there is one to be had; and because nobody knows what was missed meanwhile, that counts as news.
 */
final class Listening implements AutoCloseable {

    /** What commits that give places notify. */
    static final String CHANNEL = "semel_places";

    private static final int TURN_MILLIS = 200; // and then it looks whether it was closed
    private static final int TURNS_WITHOUT_NEWS = 25; // and then it looks whether the connection is there still
    private static final int ANSWER_SECONDS = 5;
    private static final int PAUSE_MILLIS = 500;
    private static final int END_MILLIS = 2000;

    private final DataSource source;
    private final Runnable news;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    private Listening(DataSource source, Runnable news) {
        this.source = source;
        this.news = news;
    }

    /** Begins to listen, on a thread of its own. */
    static Listening begin(DataSource source, Runnable news) {
        Listening listening = new Listening(source, news);
        Threads.EXECUTOR.execute(listening::run);
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
            hear(connection);
            execute(connection, "unlisten " + CHANNEL); // it may be somebody's who lends it to others
            connection.setAutoCommit(commitsItself);
        } catch (SQLException e) {
            return; // another one is tried; and whoever uses the store is told if there is none
        }
    }

    private void hear(Connection connection) throws SQLException {
        PGConnection postgres = connection.unwrap(PGConnection.class);
        int quiet = 0;
        while (closed.getCount() > 0) {
            PGNotification[] heard = postgres.getNotifications(TURN_MILLIS);
            if (heard != null && heard.length > 0) {
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
