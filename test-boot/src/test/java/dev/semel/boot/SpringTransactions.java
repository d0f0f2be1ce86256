package dev.semel.boot;

import dev.semel.postgres.TransactionSource;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;

// page: spring
/** Joins operations to Spring's transactions. */
record SpringTransactions(PlatformTransactionManager manager, DataSource source) implements TransactionSource {

    @Override
    public ManagedTransaction begin() {
        TransactionStatus status = manager.getTransaction(TransactionDefinition.withDefaults());
        Connection connection = DataSourceUtils.getConnection(source);
        return new ManagedTransaction() {
            @Override
            public Connection connection() {
                return connection;
            }

            @Override
            public boolean isNew() {
                return status.isNewTransaction();
            }

            @Override
            public void commit() {
                DataSourceUtils.releaseConnection(connection, source);
                manager.commit(status);
            }

            @Override
            public void rollback() {
                DataSourceUtils.releaseConnection(connection, source);
                manager.rollback(status);
            }
        };
    }
}
// end
