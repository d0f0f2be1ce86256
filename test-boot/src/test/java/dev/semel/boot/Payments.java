package dev.semel.boot;

import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.postgres.CallerTransactions;
import dev.semel.store.Response;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Charges orders in transactions of Spring, and in transactions of Semel. */
@Service
class Payments {

    private final CallerTransactions transactions;
    private final DataSource source;
    private final JdbcTemplate jdbc;

    Payments(CallerTransactions transactions, DataSource source, JdbcTemplate jdbc) {
        this.transactions = transactions;
        this.source = source;
        this.jdbc = jdbc;
    }

    private Response insert(String order) {
        jdbc.update("insert into charges (order_id) values (?)", order);
        return Response.of("charged " + order);
    }

    /** Charges an order within Spring's transaction. */
    @Transactional
    public Outcome payWithinSpring(Call call, String order) {
        return payIn(call, order);
    }

    /** Charges an order within Spring's transaction, which is then rolled back. */
    @Transactional
    public Outcome payWithinSpringAndThrow(Call call, String order) {
        payIn(call, order);
        throw new IllegalStateException("The transaction is rolled back");
    }

    private Outcome payIn(Call call, String order) {
        Connection connection = DataSourceUtils.getConnection(source);
        try {
            return transactions.runIn(connection, call, guarded -> insert(order));
        } finally {
            DataSourceUtils.releaseConnection(connection, source);
        }
    }

    /** Writes something first, and ignores that the operation fails. */
    @Transactional
    public Outcome reserveAndFail(Call call, String order) {
        insert(order);
        Connection connection = DataSourceUtils.getConnection(source);
        try {
            return transactions.runIn(connection, call, guarded -> {
                throw new IllegalStateException("The card was declined");
            });
        } finally {
            DataSourceUtils.releaseConnection(connection, source);
        }
    }

    /** Charges an order in a transaction of Semel, with Spring's template instead of the given connection. */
    public Outcome payWithTemplate(Call call, String order) {
        return transactions.run(call, connection -> insert(order));
    }

    /** Does the same, and fails after the charge. */
    public Outcome payWithTemplateAndThrow(Call call, String order) {
        return transactions.run(call, connection -> {
            insert(order);
            throw new IllegalStateException("The card was declined");
        });
    }

    /** Does the same within Spring's transaction. */
    @Transactional
    public Outcome joinSpring(Call call, String order) {
        return payWithTemplate(call, order);
    }

    /** Does the same within Spring's transaction, which is then rolled back. */
    @Transactional
    public Outcome joinSpringAndThrow(Call call, String order) {
        payWithTemplate(call, order);
        throw new IllegalStateException("The transaction is rolled back");
    }

    /** Writes something first, and ignores that the operation fails. */
    @Transactional
    public Outcome reserveAndFailWithTemplate(Call call, String order) {
        insert(order);
        return payWithTemplateAndThrow(call, order);
    }

    /** Charges an order in a transaction that cannot be committed. */
    public Outcome payAndBreakTheCommit(Call call, String order) {
        return transactions.run(call, connection -> {
            jdbc.execute("create temp table parts (part int unique deferrable initially deferred) on commit drop");
            jdbc.execute("insert into parts values (1), (1)");
            return insert(order);
        });
    }

    public Outcome chargeAndRefuse(Call call, String order) {
        return transactions.run(call, connection -> insert(order).asRefusal());
    }
}
