package dev.semel.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.function.Predicate;
import javax.sql.DataSource;

/** A data source whose connections break when they execute certain statements; by default those that end with a COMMIT. */
final class BreakingSource {

    enum Break {
        BEFORE_THE_SERVER_GETS_IT,
        BEFORE_THE_ANSWER_COMES
    }

    private BreakingSource() {}

    static DataSource of(DataSource source, Break when, Runnable meanwhile) {
        return of(source, when, sql -> sql.endsWith("; commit"), meanwhile);
    }

    static DataSource of(DataSource source, Break when, Predicate<String> breaks, Runnable meanwhile) {
        return (DataSource) Proxy.newProxyInstance(
                BreakingSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, arguments) -> breaking(source.getConnection(), when, breaks, meanwhile));
    }

    private static Connection breaking(
            Connection connection, Break when, Predicate<String> breaks, Runnable meanwhile) {
        return (Connection) Proxy.newProxyInstance(
                BreakingSource.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    try {
                        Object result = method.invoke(connection, arguments);
                        boolean isOne =
                                method.getName().equals("prepareStatement") && breaks.test((String) arguments[0]);
                        return isOne ? breaking((PreparedStatement) result, connection, when, meanwhile) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static PreparedStatement breaking(
            PreparedStatement statement, Connection connection, Break when, Runnable meanwhile) {
        return (PreparedStatement) Proxy.newProxyInstance(
                BreakingSource.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (self, method, arguments) -> {
                    if (!method.getName().equals("execute")) {
                        return method.invoke(statement, arguments);
                    }
                    if (when == Break.BEFORE_THE_ANSWER_COMES) {
                        statement.execute();
                    }
                    connection.abort(Runnable::run);
                    meanwhile.run();
                    throw new SQLException("the line is dead", "08006");
                });
    }
}
