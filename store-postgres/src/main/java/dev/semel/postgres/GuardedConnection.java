package dev.semel.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The connection that an operation gets. It rejects calls that end the transaction, and every call after the operation has returned. */
final class GuardedConnection implements InvocationHandler, AutoCloseable {

    private final Connection connection;
    private final Connection proxy;
    private volatile boolean used;
    private volatile boolean returned;

    GuardedConnection(Connection connection) {
        this.connection = connection;
        this.proxy = (Connection) Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
    }

    Connection proxy() {
        return proxy;
    }

    /** Whether the operation has called a method of the connection. */
    boolean isUsed() {
        return used;
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
            throw new SQLException("An operation must not end its transaction: " + name + " is rejected", "2D000");
        }
        if (returned && method.getDeclaringClass() != Object.class) {
            throw new SQLException("The operation has returned, so its connection cannot be used any more", "08003");
        }
        used |= method.getDeclaringClass() != Object.class;
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Override
    public void close() {
        returned = true;
    }
}
