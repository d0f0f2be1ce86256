package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.once.Once.UnrecordedException;
import dev.semel.once.Outcome;
import dev.semel.store.Response;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;

/** Operations in a transaction that the caller begins and commits. */
class JoinedTransactionTest extends CallerTransactionsFixture {

    @Test
    void callerManagedTransaction_rolledBack_leavesNothing() throws SQLException {
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            pay(connection, "before");
            assertThat(own(pool()).runIn(connection, call("k"), lent -> pay(lent, "k")))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(own(pool()).run(call("k"), lent -> pay(lent, "k"))).isInstanceOf(Outcome.InProgress.class);
            assertThat(own(pool()).runEffectFirst(call("k"), lent -> pay(lent, "k")))
                    .isInstanceOf(Outcome.InProgress.class);
            assertThat(own(pool()).runIn(connection, call("k"), lent -> pay(lent, "k")))
                    .isInstanceOf(Outcome.Replayed.class);
            connection.rollback();
            connection.setAutoCommit(true);
        }
        assertThat(stored("k")).isNull();
        assertThat(payments("k")).isZero();
        assertThat(own(pool()).run(call("k"), lent -> pay(lent, "k"))).isInstanceOf(Outcome.Executed.class);
    }

    /** The caller overlooks the outcome. */
    @ParameterizedTest
    @EnumSource
    void failedOutcome_keepsTheTransactionFromCommitting(AutoSave autosave) throws SQLException {
        PGSimpleDataSource source = like(database());
        source.setAutosave(autosave);
        for (Exception failure : List.of(new SQLException("no"), new UnrecordedException("not now"))) {
            try (Connection connection = source.getConnection()) {
                connection.setAutoCommit(false);
                pay(connection, "before");
                Outcome outcome = own(pool()).runIn(connection, call("failing"), lent -> {
                    pay(lent, "failing");
                    throw failure;
                });
                assertThat(((Outcome.Failed) outcome).cause()).isSameAs(failure);
                assertThatThrownBy(() -> pay(connection, "after")).hasMessageContaining("transaction is aborted");
                connection.commit();
                assertThat(connection.unwrap(PGConnection.class).getAutosave()).isEqualTo(autosave);
            }
        }
        assertThat(Postgres.ask(database(), "select count(*) from payments")).isEqualTo("0");
        assertThat(stored("failing")).isNull();
    }

    @Test
    void failedOutcome_canBeRolledBackToASavepoint() throws SQLException {
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            pay(connection, "before");
            Savepoint savepoint = connection.setSavepoint();
            own(pool()).runIn(connection, call("failing"), lent -> {
                pay(lent, "failing");
                execute(lent, "select 1/0");
                return Response.of("never");
            });
            connection.rollback(savepoint);
            own(pool()).runIn(connection, call("k"), lent -> pay(lent, "k"));
            connection.commit();
            connection.setAutoCommit(true);
        }
        assertThat(Postgres.ask(database(), "select string_agg(key, ' ' order by payment_id) from payments"))
                .isEqualTo("before k");
        assertThat(stored("k")).isNotNull();
    }

    @Test
    void callerManagedTransaction_keepsWhatWasBefore_whenAnOperationRefuses() throws SQLException {
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            pay(connection, "before");
            own(pool()).runIn(connection, call("refusing"), lent -> {
                pay(lent, "refusing");
                return Response.of("no").asRefusal();
            });
            own(pool()).runIn(connection, call("k"), lent -> {
                own(pool()).runIn(lent, call("inner"), deeper -> pay(deeper, "inner"));
                return pay(lent, "k");
            });
            connection.commit();
            connection.setAutoCommit(true);
        }
        assertThat(Postgres.ask(database(), "select string_agg(key, ' ' order by payment_id) from payments"))
                .isEqualTo("before inner k");
        assertThat(Postgres.ask(
                        database(),
                        "select string_agg(idempotency_key, ' ' order by fencing_token) from idempotency_keys"))
                .isEqualTo("refusing inner k");
    }

    @Test
    void connectionThatCommitsByItself_isRejected() throws SQLException {
        try (Connection connection = pool().getConnection()) {
            assertThatThrownBy(() -> own(pool()).runIn(connection, call("k"), lent -> pay(lent, "k")))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
