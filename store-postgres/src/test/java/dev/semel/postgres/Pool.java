package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Eventually;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A connection pool that counts the connections in use. */
class Pool implements DataSource, AutoCloseable {

    private final DataSource source;
    private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
    private final AtomicInteger lent = new AtomicInteger();
    private final AtomicInteger mostLent = new AtomicInteger();
    private final Cleaning cleaning;

    /** Cleans a returned connection. */
    interface Cleaning {
        void clean(Connection connection) throws SQLException;
    }

    Pool(DataSource source) {
        this(source, connection -> {});
    }

    Pool(DataSource source, Cleaning cleaning) {
        this.source = source;
        this.cleaning = cleaning;
    }

    /** The connection that is taken next. */
    Connection take() throws SQLException {
        Connection connection = idle.pollFirst();
        while (connection != null && connection.isClosed()) {
            connection = idle.pollFirst();
        }
        return connection == null ? source.getConnection() : connection;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection open = take();
        mostLent.accumulateAndGet(lent.incrementAndGet(), Math::max);
        AtomicBoolean inUse = new AtomicBoolean(true); // close() may be called more than once
        return (Connection) Proxy.newProxyInstance(
                Pool.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        if (inUse.getAndSet(false)) {
                            lent.decrementAndGet();
                            giveBack(open);
                        }
                        return null;
                    }
                    try {
                        return method.invoke(open, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void giveBack(Connection connection) throws SQLException {
        if (!connection.isClosed()) {
            cleaning.clean(connection);
            idle.addFirst(connection);
        }
    }

    /** Returns the number of connections in use. */
    int lent() {
        return lent.get();
    }

    /** Waits until all connections are returned. */
    void assertNoneLent() {
        Eventually.assertHolds(() -> assertThat(lent()).isZero());
    }

    /** Returns the highest number of connections that were in use at the same time. */
    int mostLent() {
        return mostLent.get();
    }

    @Override
    public void close() {
        List<Connection> all = new ArrayList<>(idle);
        for (Connection connection : all) {
            try {
                connection.close();
            } catch (SQLException e) {
                // closed already
            }
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return source.getConnection(user, password);
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return source.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return source.isWrapperFor(type);
    }
}
