package dev.semel.postgres;

import dev.semel.postgres.StatementListener.Work;
import dev.semel.store.StoreException;
import dev.semel.store.internal.StackReserve;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Runs statements of the store. Each is one transaction and one round trip, and acts as one of Semel's roles whatever role the connection
 * logged in as. Role, user and timeouts are set in the same round trip and for that transaction only, so the store relies on no setting of
 * the connection and leaves none on it.
 */
final class Session {

    /** APP sees the rows of the users that {@code semel.user} names; SERVICE sees all rows. */
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

    private static final String SET_ISOLATION = "set transaction_isolation to 'read committed'; ";

    private static final String OTHER_ISOLATION = "25001";

    /** The time of a test if the parameter is not null; otherwise the database's. */
    static final String TIME = ", coalesce(?::timestamptz, clock_timestamp())";

    /** A connection without a response is abandoned so long after the server should have cancelled the statement. */
    private static final int LATE_MILLIS = 5_000;

    /** More than the executions after which a driver changes how it sends a statement. */
    private static final int MANY_TIMES = 10;

    private final DataSource source;
    private final SqlTexts texts;
    private final AdvisoryLocks locks;
    private final StatementListener listener;
    private final Work work;
    private final String limits;
    private final int responseMillis;
    private final AtomicBoolean setsIsolation;

    Session(DataSource source, PostgresSettings settings) {
        this(source, settings, StatementListener.NONE);
    }

    Session(DataSource source, PostgresSettings settings, StatementListener listener) {
        this.source = source;
        this.texts = new SqlTexts(settings.schema());
        this.locks = new AdvisoryLocks(settings.schema());
        this.listener = listener;
        this.work = Work.OTHER;
        this.responseMillis = Math.toIntExact(settings.statementTimeout().toMillis()) + LATE_MILLIS;
        this.setsIsolation = new AtomicBoolean();
        // The isolation cannot be changed by a query, so this fails if the default of the session is another.
        // Plans are cached. A plan for an empty table would scan sequentially after the table has grown.
        this.limits = "set_config('transaction_isolation', 'read committed', true), set_config('lock_timeout', '"
                + settings.lockTimeout().toMillis() + "', true), "
                + "set_config('statement_timeout', '"
                + settings.statementTimeout().toMillis() + "', true), "
                + "set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)";
    }

    private Session(Session session, Work work) {
        this.source = session.source;
        this.texts = session.texts;
        this.locks = session.locks;
        this.listener = session.listener;
        this.work = work;
        this.limits = session.limits;
        this.responseMillis = session.responseMillis;
        this.setsIsolation = session.setsIsolation;
    }

    /** Returns a session that reports its statements to the listener as some kind of work. */
    Session doing(Work work) {
        return new Session(this, work);
    }

    DataSource source() {
        return source;
    }

    /** Returns the cached texts of statements on the tables of the schema. */
    SqlTexts texts() {
        return texts;
    }

    AdvisoryLocks locks() {
        return locks;
    }

    /** Returns the value of {@code semel.user} for some users. No user name contains a control character. */
    static String users(Collection<String> users) {
        return String.join("\u001f", users);
    }

    /** Sets the parameters of a statement. */
    interface Binding {
        void bind(Parameters parameters) throws SQLException;
    }

    /** Reads the rows of a statement. */
    interface Reading<T> {
        T read(ResultSet rows) throws SQLException;
    }

    /** The results of the statements of a round trip, in their order. */
    static final class Results {

        private final PreparedStatement statement;
        private boolean started;

        Results(PreparedStatement statement) {
            this.statement = statement;
        }

        /** Returns the rows of the next query. */
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

    /** Reads the results of several statements. */
    interface ReadingAll<T> {
        T read(Results results) throws SQLException;
    }

    /** Returns a statement with its prologue, which sets role, user and timeouts. The first parameter is the users. */
    String sql(Role role, String statement) {
        return sql(role, "", statement);
    }

    /** Returns a statement with its prologue, which also selects some more expressions. */
    String sql(Role role, String more, String statement) {
        return texts.qualified(role.prologue + limits + more + "; " + statement);
    }

    /** Reads the {@link #TIME} that a prologue selected. */
    static Instant time(ResultSet prologue) throws SQLException {
        prologue.next();
        return IdempotencyRow.instant(prologue, 8);
    }

    /**
     * Runs a statement with its {@linkplain #sql prologue}.
     *
     * @throws StoreException if it fails; it is unknown then whether it was committed
     */
    <T> T run(String sql, Binding binding, Reading<T> reading) {
        return runAll(sql, binding, results -> {
            results.next();
            return reading.read(results.next());
        });
    }

    /**
     * Runs statements that start with a {@linkplain #sql prologue}.
     *
     * @throws StoreException if one fails; it is unknown then whether they were committed
     */
    <T> T runAll(String sql, Binding binding, ReadingAll<T> reading) {
        StackReserve.check(StackReserve.MEDIUM); // a driver that is stopped halfway leaves the connection unusable
        try (Connection connection = source.getConnection()) {
            return inReadCommitted(connection, sql, binding, reading);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /**
     * Preconditions are checked in READ COMMITTED, because a stricter level would check them against a snapshot that is older than the
     * locks. The prologue makes sure of it without a further statement. Only if it fails, the level is set by a statement, here and from
     * then on.
     */
    private <T> T inReadCommitted(Connection connection, String sql, Binding binding, ReadingAll<T> reading)
            throws SQLException {
        if (!setsIsolation.get()) {
            try {
                return runAll(connection, sql, binding, reading);
            } catch (SQLException e) {
                if (!OTHER_ISOLATION.equals(e.getSQLState())) {
                    throw e;
                }
                setsIsolation.set(true);
            }
        }
        return runAll(connection, SET_ISOLATION + sql, binding, reading);
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
     * Rejects a driver that sends the prologue and its statement in separate transactions: role, timeouts and locks would be gone before
     * the statement runs. A driver does so if its settings make it ask the server for the types of parameters, and some do so only after
     * a number of executions.
     *
     * @throws StoreException if the driver does so, or if the database fails
     */
    void rejectIfSplit() {
        String sql = sql(Role.APP, "select current_setting('role'), ?");
        try (Connection connection = source.getConnection()) {
            for (int i = 0; i < MANY_TIMES; i++) {
                String role = inReadCommitted(connection, sql, to -> to.text("").text(""), results -> {
                    results.next();
                    ResultSet rows = results.next();
                    rows.next();
                    return rows.getString(1);
                });
                if (!role.equals(Role.APP.role)) {
                    throw StoreException.rejected(
                            "The database cannot be used. The driver sends the statements of a transaction in separate"
                                    + " transactions: remove its settings stringtype and preferQueryMode");
                }
            }
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Returns an exception with the server's message, without its detail, which may contain values. */
    static StoreException failed(SQLException e) {
        return StoreException.unavailable("The database failed (" + e.getSQLState() + "): " + message(e), e);
    }

    /** Returns the server's message without its detail. */
    static String message(SQLException e) {
        ServerErrorMessage error = e instanceof PSQLException failure ? failure.getServerErrorMessage() : null;
        return String.valueOf(error == null ? e.getMessage() : error.getMessage());
    }

    /** Whether the server rejected a statement, so it certainly changed nothing and the connection can still be used. */
    static boolean isRejection(StoreException e) {
        return e.getCause() instanceof PSQLException failure
                && failure.getServerErrorMessage() != null
                && failure.getSQLState() != null
                && !failure.getSQLState().startsWith("57P")
                && !failure.getSQLState().startsWith("08");
    }
}
