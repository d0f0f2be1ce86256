package dev.semel.postgres;

import dev.semel.postgres.StatementListener.Work;
import dev.semel.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import javax.sql.DataSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Runs statements, each in a transaction and a round trip of its own, in one of Semel's roles whatever the connection logged in as.
 * Role, user and time-outs are set in the same round trip and for that transaction alone: nothing has to be on the connection
 * before, and nothing is left on it.
 */
final class Session {

    /** The role that sees the rows of the users it names, and the one that sees all. */
    enum Role {
        APP("semel_app"),
        SERVICE("semel_service");

        private final String role;
        private final String prologue;

        Role(String name) {
            this.role = name;
            this.prologue = "select set_config('role', '" + name + "', true), set_config('semel.user', ?, true), ";
        }
    }

    /** What time it is: what is given, or the database's. */
    static final String TIME = ", coalesce(?::timestamptz, clock_timestamp())";

    /** How much later than it has to a response may come; a connection on which none comes is given up. */
    private static final int LATE_MILLIS = 5_000;

    /** After so many a driver has settled how it sends a statement. */
    private static final int MANY_TIMES = 10;

    private final DataSource source;
    private final SqlTexts texts;
    private final StatementListener listener;
    private final Work work;
    private final String limits;
    private final int responseMillis;

    Session(DataSource source, PostgresSettings settings) {
        this(source, settings, StatementListener.NONE);
    }

    Session(DataSource source, PostgresSettings settings, StatementListener listener) {
        this.source = source;
        this.texts = new SqlTexts(settings.schema());
        this.listener = listener;
        this.work = Work.OTHER;
        this.responseMillis = Math.toIntExact(settings.statementTimeout().toMillis()) + LATE_MILLIS;
        // Statements are planned once, for tables of any size: a plan that was good for an empty table must not stay.
        this.limits = "set_config('lock_timeout', '" + settings.lockTimeout().toMillis() + "', true), "
                + "set_config('statement_timeout', '"
                + settings.statementTimeout().toMillis() + "', true), "
                + "set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)";
    }

    private Session(Session session, Work work) {
        this.source = session.source;
        this.texts = session.texts;
        this.listener = session.listener;
        this.work = work;
        this.limits = session.limits;
        this.responseMillis = session.responseMillis;
    }

    /** The same, whose statements are reported to the listener as some kind of work. */
    Session doing(Work work) {
        return new Session(this, work);
    }

    DataSource source() {
        return source;
    }

    /** The texts of statements on the tables of its schema. */
    SqlTexts texts() {
        return texts;
    }

    /** Users as the setting {@code semel.user} names them. No name holds a control character. */
    static String users(Collection<String> users) {
        return String.join("\u001f", users);
    }

    /** Gives a statement its parameters. */
    interface Binding {
        void bind(Parameters parameters) throws SQLException;
    }

    /** Reads what a statement returned. */
    interface Reading<T> {
        T read(ResultSet rows) throws SQLException;
    }

    /** What statements returned, one after another. */
    static final class Results {

        private final PreparedStatement statement;
        private boolean started;

        Results(PreparedStatement statement) {
            this.statement = statement;
        }

        /** The rows of the next statement that returned any, or might have. */
        ResultSet next() throws SQLException {
            do {
                if (started) {
                    statement.getMoreResults();
                }
                started = true;
            } while (statement.getResultSet() == null && statement.getUpdateCount() >= 0);
            return statement.getResultSet();
        }
    }

    /** Reads what several statements returned. */
    interface ReadingAll<T> {
        T read(Results results) throws SQLException;
    }

    /** A statement behind the one that has to come before it in the same round trip, whose first parameter is the users. */
    String sql(Role role, String statement) {
        return sql(role, "", statement);
    }

    /** The same, doing something more at the end of the first statement. */
    String sql(Role role, String more, String statement) {
        return texts.qualified(role.prologue + limits + more + "; " + statement);
    }

    /** The {@link #TIME} that was at the end of a prologue. */
    static Instant time(ResultSet prologue) throws SQLException {
        prologue.next();
        return IdempotencyRow.instant(prologue, 7);
    }

    /**
     * Runs a statement that begins with a {@linkplain #sql prologue}.
     *
     * @throws StoreException if that fails; whether it has written anything is not certain then
     */
    <T> T run(String sql, Binding binding, Reading<T> reading) {
        return runAll(sql, binding, results -> {
            results.next();
            return reading.read(results.next());
        });
    }

    /**
     * Runs statements of which the first is a {@linkplain #sql prologue}.
     *
     * @throws StoreException if that fails; whether it has written anything is not certain then
     */
    <T> T runAll(String sql, Binding binding, ReadingAll<T> reading) {
        try (Connection connection = source.getConnection()) {
            return runAll(connection, sql, binding, reading);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private <T> T runAll(Connection connection, String sql, Binding binding, ReadingAll<T> reading)
            throws SQLException {
        long startedAt = System.nanoTime();
        boolean failed = true;
        boolean commitsItself = connection.getAutoCommit();
        int timeout = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, responseMillis);
        if (!commitsItself) {
            connection.setAutoCommit(true);
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binding.bind(new Parameters(statement));
            statement.execute();
            T result = reading.read(new Results(statement));
            failed = false;
            return result;
        } catch (SQLException e) {
            failed = !CallerSql.isExpected(e);
            throw e;
        } finally {
            listener.ran(work, System.nanoTime() - startedAt, failed);
            if (!connection.isClosed()) {
                connection.setNetworkTimeout(Runnable::run, timeout);
                connection.setAutoCommit(commitsItself);
            }
        }
    }

    /**
     * Rejects a driver that sends a prologue in a transaction of its own, as it does if it was told to ask for the types of all that it
     * sends: roles, time-outs and locks would be gone before what they are for. It asks when a statement has come some times.
     *
     * @throws StoreException if it does, or if the database cannot be asked
     */
    void rejectIfSplit() {
        String sql = sql(Role.APP, "select current_setting('role'), ?");
        try (Connection connection = source.getConnection()) {
            for (int i = 0; i < MANY_TIMES; i++) {
                String role = runAll(connection, sql, to -> to.text("").text(""), results -> {
                    results.next();
                    ResultSet rows = results.next();
                    rows.next();
                    return rows.getString(1);
                });
                if (!role.equals(Role.APP.role)) {
                    throw StoreException.rejected(
                            "The database cannot be used. The driver sends statements that belong together in transactions"
                                    + " of their own: leave out its settings stringtype and preferQueryMode");
                }
            }
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Says what went wrong, without the values that a server's detail may hold. */
    static StoreException failed(SQLException e) {
        ServerErrorMessage told = e instanceof PSQLException failure ? failure.getServerErrorMessage() : null;
        String message = told == null ? e.getMessage() : told.getMessage();
        return StoreException.unavailable("The database failed (" + e.getSQLState() + "): " + message, e);
    }

    /** Whether the server itself rejected a statement, so that it certainly changed nothing and the connection goes on. */
    static boolean isRejection(StoreException e) {
        return e.getCause() instanceof PSQLException failure
                && failure.getServerErrorMessage() != null
                && failure.getSQLState() != null
                && !failure.getSQLState().startsWith("57P")
                && !failure.getSQLState().startsWith("08");
    }
}
