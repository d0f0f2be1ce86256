package dev.semel.postgres;

import java.sql.Connection;

/**
 * Joins {@link CallerTransactions} to the transactions of a framework that binds them to the thread, such as Spring. What the framework
 * runs on the thread, such as a {@code JdbcTemplate} in an operation, is then in the same transaction as the key.
 */
@FunctionalInterface
public interface TransactionSource {

    /** Joins the transaction of the current thread, or begins one if there is none. */
    ManagedTransaction begin();

    /** A transaction of the framework. Ended by one call of {@link #commit} or {@link #rollback}, on the thread that began it. */
    interface ManagedTransaction {

        /** Returns the connection of the transaction, with auto-commit off. It is used until the transaction is ended. */
        Connection connection();

        /** Whether {@link TransactionSource#begin} began the transaction, and did not join one. */
        boolean isNew();

        /** Commits a new transaction. A joined one is not committed. */
        void commit();

        /** Rolls back a new transaction. Marks a joined one, so that it can only be rolled back. */
        void rollback();
    }
}
