package dev.semel.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A connection as an operation gets it: it cannot end the transaction, and cannot use it any more when that has ended. */
final class GuardedConnection implements InvocationHandler, AutoCloseable {

    private final Connection connection;
    private final Connection proxy;
    private volatile boolean over;

    GuardedConnection(Connection connection) {
        this.connection = connection;
        this.proxy = (Connection) Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
    }

    Connection proxy() {
        return proxy;
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        boolean ends = (name.equals("rollback") && arguments == null)
                || name.equals("commit")
                || name.equals("close")
                || name.equals("abort")
                || name.equals("setAutoCommit");
        if (ends) {
            throw new SQLException("The transaction is not the operation's to end: " + name + " is rejected", "2D000");
        }
        if (over && method.getDeclaringClass() != Object.class) {
            throw new SQLException("The operation has ended, and its connection was given back", "08003");
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** The operation has ended. */
    @Override
    public void close() {
        over = true;
    }
}
