package dev.semel.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Alternates between two sessions, and resets a session when it is returned. For one thread. */
final class ForgetfulSource {

    private ForgetfulSource() {}

    static DataSource of(DataSource database) throws SQLException {
        PGSimpleDataSource source = CallerTransactionsFixture.like(database);
        source.setPrepareThreshold(0); // the reset deletes prepared statements, too
        Deque<Connection> sessions = new ArrayDeque<>();
        sessions.add(source.getConnection());
        sessions.add(source.getConnection());
        return (DataSource) Proxy.newProxyInstance(
                ForgetfulSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, arguments) -> lend(sessions.removeFirst(), sessions));
    }

    private static Connection lend(Connection session, Deque<Connection> sessions) {
        return (Connection) Proxy.newProxyInstance(
                ForgetfulSource.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        session.setAutoCommit(true);
                        try (Statement statement = session.createStatement()) {
                            statement.execute("discard all");
                        }
                        sessions.addLast(session);
                        return null;
                    }
                    try {
                        return method.invoke(session, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
