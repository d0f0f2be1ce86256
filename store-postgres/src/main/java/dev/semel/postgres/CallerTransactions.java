package dev.semel.postgres;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.spi.CallerTransaction;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/**
 * Runs operations once per key whose effects are SQL of the application: the writes, the key and the response are one commit. The keys
 * are those of a store in the same database, so a key that was used here counts as used in {@link Once} and on every server.
 *
 * <p>Statements about keys act as the role {@code semel_app} for the user of the call. Statements of the operation act as the role that
 * the connection logged in as. Role and user are restored before the operation runs, and no setting is left on the connection.
 *
 * <p>The methods throw what {@link Once#callerManaged} throws. An instance is safe for use by many threads.
 */
public final class CallerTransactions {

    private static final System.Logger LOG = System.getLogger(CallerTransactions.class.getName());

    private final Source source;
    private final PostgresOnceStore store;
    private final Once once;
    private final AtomicBoolean warned = new AtomicBoolean();

    /** Begins the transactions of operations. */
    private interface Source {
        CallerTransaction begin(JdbcOperation operation, boolean claims);
    }

    /**
     * Runs operations on connections of a data source.
     *
     * @param source provides a connection for each transaction; its login has to be allowed to act as {@code semel_app}
     * @param store the store of the keys, in the same database
     * @param once the engine on that store; its settings and listener are used
     */
    public CallerTransactions(DataSource source, PostgresOnceStore store, Once once) {
        Objects.requireNonNull(source, "source");
        this.store = Objects.requireNonNull(store, "store");
        this.once = Objects.requireNonNull(once, "once");
        this.source = (operation, claims) ->
                new PooledTransaction(source, operation, claims, store.callerSql(), store::givenTime, this::warn);
    }

    /**
     * Runs operations in transactions of a framework.
     *
     * @param source joins or begins the transactions; their login has to be allowed to act as {@code semel_app}
     * @param store the store of the keys, in the same database
     * @param once the engine on that store; its settings and listener are used
     */
    public CallerTransactions(TransactionSource source, PostgresOnceStore store, Once once) {
        Objects.requireNonNull(source, "source");
        this.store = Objects.requireNonNull(store, "store");
        this.once = Objects.requireNonNull(once, "once");
        this.source = (operation, claims) ->
                new ManagedCallerTransaction(source, operation, store.callerSql(), store::givenTime);
    }

    /** Runs operations on connections of a store's data source, with the default settings of {@link Once}. */
    public static CallerTransactions on(PostgresOnceStore store) {
        return new CallerTransactions(store.source(), store, Once.on(store));
    }

    /**
     * Runs an operation in a new transaction. The key is locked and looked up first: a duplicate gets the recorded response, and the
     * operation does not run.
     *
     * <p>Only what the operation writes on the given connection is in the transaction. Code that takes another connection, as a
     * {@code JdbcTemplate} may, is not; a warning is logged if an operation does not use its connection at all.
     *
     * <p>With a {@link TransactionSource}, the operation joins the transaction of the thread, if there is one, as in {@link #runIn}. If the
     * operation fails, the joined transaction is marked, so that it can only be rolled back.
     */
    public Outcome run(Call call, JdbcOperation operation) {
        Objects.requireNonNull(operation, "operation");
        return once.callerManaged(call, first -> source.begin(operation, true));
    }

    /**
     * Runs an operation in a new transaction without looking up the key first. The key is recorded in the round trip that commits. This
     * saves a round trip for a new key. A duplicate runs the operation again, is rolled back by the unique index of the keys, and gets the
     * recorded response.
     *
     * <p>Use it only for operations that have no effect outside of the transaction, and that may see the writes of their first run. They
     * must not execute {@code COMMIT} or {@code ROLLBACK} as SQL either; only {@link #run} detects this. With a {@link TransactionSource},
     * this method does the same as {@link #run}.
     */
    public Outcome runEffectFirst(Call call, JdbcOperation operation) {
        Objects.requireNonNull(operation, "operation");
        return once.callerManaged(call, first -> source.begin(operation, !first));
    }

    /**
     * Runs an operation in a transaction that the caller has begun and commits. If the caller rolls back, neither the writes nor the key
     * remain. If the operation refuses, its writes are rolled back, earlier writes of the transaction remain, and the refusal is recorded.
     * Until the transaction ends, other calls with the key get {@link Outcome.InProgress}.
     *
     * <p>If the operation fails, the failure is not recorded, and the transaction can only be rolled back: the server rejects further
     * statements, and rolls back at a COMMIT, which the driver may not report. To go on in spite of a failure, set a savepoint before this
     * call, and roll back to it.
     *
     * @param connection in a transaction, with auto-commit off
     * @throws IllegalArgumentException if auto-commit is on
     */
    public Outcome runIn(Connection connection, Call call, JdbcOperation operation) {
        Objects.requireNonNull(operation, "operation");
        try {
            if (connection.getAutoCommit()) {
                throw new IllegalArgumentException(
                        "The connection is in auto-commit mode, so there is no transaction to run in: call setAutoCommit(false) first");
            }
        } catch (SQLException e) {
            throw Session.failed(e);
        }
        Outcome outcome = once.callerManaged(
                call, first -> new JoinedTransaction(connection, operation, store.callerSql(), store::givenTime));
        if (outcome instanceof Outcome.Failed) {
            CallerSql.abort(connection);
        }
        return outcome;
    }

    /** An operation that writes on another connection takes effect even if it fails. */
    private void warn(IdempotencyKey key) {
        if (!warned.getAndSet(true)) {
            LOG.log(
                    Level.WARNING,
                    "Connection not used: endpoint " + key.endpoint()
                            + ". What an operation writes on another connection is not in the"
                            + " transaction of its key. This is logged once");
        }
    }
}
