package dev.semel.postgres;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Outcome;
import dev.semel.store.spi.CallerTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Runs operations once per key whose effect is SQL of their own: what they write, their key and their answer are one commit. The
 * keys are those of the store in the same database, so a key that was used here is used there, and its outcomes are those of
 * {@link Once}.
 *
 * <p>Statements about keys act as the role {@code semel_app}, for the user of the call; those of the operation as whoever the
 * connection logged in as. Role and user are set back before the operation runs, and nothing is left on the connection
 * afterwards.
 *
 * <p>Each of these throws what {@link Once#callerManaged} throws.
 */
public final class CallerTransactions {

    private final DataSource source;
    private final PostgresOnceStore store;
    private final Once once;

    /**
     * On a database.
     *
     * @param source gives the connections that operations run on, each for one transaction; they have to be allowed to act as
     *     {@code semel_app}
     * @param store keeps the keys, in the same database
     * @param once the engine on that store: whose settings hold, and whose listener is notified
     */
    public CallerTransactions(DataSource source, PostgresOnceStore store, Once once) {
        this.source = Objects.requireNonNull(source, "source");
        this.store = Objects.requireNonNull(store, "store");
        this.once = Objects.requireNonNull(once, "once");
    }

    /** On the connections of a store, with default settings. */
    public static CallerTransactions on(PostgresOnceStore store) {
        return new CallerTransactions(store.source(), store, Once.on(store));
    }

    /**
     * Runs an operation in a transaction on a connection of its own. Its key is claimed before and looked up: a duplicate is answered
     * without running it.
     */
    public Outcome run(Call call, JdbcOperation operation) {
        Objects.requireNonNull(operation, "operation");
        return once.callerManaged(call, first -> begin(operation, true));
    }

    /**
     * The same with one round trip less for those who come first, and more work for those who come again: nothing is asked before the
     * operation runs, and its key is recorded after it, in the round trip that commits both. A duplicate may thus run it once more,
     * is rolled back when it meets the key, and is answered from its record.
     *
     * <p>So this is only for operations without any effect outside of the transaction, which must also not mind to meet what a first
     * run has committed. They must not commit or roll back by statements of SQL either, which is noticed in {@link #run} only.
     */
    public Outcome runEffectFirst(Call call, JdbcOperation operation) {
        Objects.requireNonNull(operation, "operation");
        return once.callerManaged(call, first -> begin(operation, !first));
    }

    /**
     * Runs an operation in a transaction that the caller has begun and commits: if it is rolled back, there is nothing of the
     * operation nor of its key. An operation that fails or refuses leaves the transaction as it was before, without what it wrote;
     * that it failed is not recorded, that it refused is. Until the transaction ends, others are told that the key is in progress.
     *
     * @param connection does not commit by itself
     * @throws IllegalArgumentException if it does
     */
    public Outcome runIn(Connection connection, Call call, JdbcOperation operation) {
        Objects.requireNonNull(operation, "operation");
        try {
            if (connection.getAutoCommit()) {
                throw new IllegalArgumentException(
                        "The connection commits by itself: there is no transaction to run in");
            }
        } catch (SQLException e) {
            throw Session.failed(e);
        }
        return once.callerManaged(
                call, first -> new JoinedTransaction(connection, operation, store.callerSql(), store::givenTime));
    }

    private CallerTransaction begin(JdbcOperation operation, boolean claims) {
        return new PooledTransaction(source, operation, claims, store.callerSql(), store::givenTime);
    }
}
