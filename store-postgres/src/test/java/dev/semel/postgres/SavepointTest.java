package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.once.Outcome;
import dev.semel.store.DocumentId;
import dev.semel.store.Response;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;

/** Savepoints of operations, of the driver and of callers. */
class SavepointTest extends CallerTransactionsFixture {

    @ParameterizedTest
    @EnumSource
    void whatTheCallerRolledBackTo_isHisOwn(Form form) throws SQLException {
        run(form, call("k"), connection -> {
            Savepoint before = connection.setSavepoint();
            pay(connection, "never");
            connection.rollback(before);
            connection.setSavepoint("left_behind");
            return pay(connection, "k");
        });
        assertThat(payments("never")).isZero();
        assertThat(payments("k")).isEqualTo(1);
    }

    /** The driver sets a savepoint before each statement. */
    @ParameterizedTest
    @EnumSource
    void savepointsOfTheDriver_changeNoOutcome(Form form) throws SQLException {
        PGSimpleDataSource source = like(database());
        source.setAutosave(AutoSave.ALWAYS);
        try (Pool careful = new Pool(source);
                PostgresStore own = PostgresStore.open(careful, PostgresSettings.DEFAULTS.withoutMigration())) {
            own.commit(Stored.commit("a", Stored.key("bob", "k"), new DocumentId("things", "", "d")));
            assertThat(own.find(Stored.key("bob", "k")).record()).isNotNull();
            for (int i = 0; i < 12; i++) {
                String key = form + "-" + i;
                for (Class<?> outcome : List.of(Outcome.Executed.class, Outcome.Replayed.class)) {
                    assertThat(run(form, careful, call(key), connection -> pay(connection, key)))
                            .isInstanceOf(outcome);
                }
                assertThat(payments(key)).isEqualTo(1);
            }
            for (int i = 0; i < 2; i++) {
                assertThat(run(form, careful, call("failing"), connection -> {
                            pay(connection, "failing");
                            execute(connection, "select 1/0");
                            return Response.of("never");
                        }))
                        .isInstanceOf(Outcome.Failed.class);
                assertThat(run(
                                form,
                                careful,
                                call("refusing"),
                                connection -> pay(connection, "refusing").asRefusal()))
                        .isInstanceOf(i == 0 ? Outcome.Executed.class : Outcome.Replayed.class);
            }
            assertThat(payments("failing") + payments("refusing")).isZero();
        }
    }

    /** A savepoint hides an older one with the same name. */
    @Test
    void savepointNamesOfAnOperation_doNotHideThoseOfItsKey() throws SQLException {
        for (String name : List.of("semel_key", "semel_effects", "key", "effects")) {
            Outcome outcome = run(Form.JOINED, call(name), connection -> {
                pay(connection, name);
                execute(connection, "savepoint " + name);
                return Response.of("no").asRefusal();
            });
            assertThat(outcome).isInstanceOf(Outcome.Executed.class);
            assertThat(payments(name)).isZero();
        }
    }

    private enum Ended {
        DONE,
        REFUSED,
        FAILED;

        Response response() {
            return switch (this) {
                case DONE -> Response.of("done");
                case REFUSED -> Response.of("no").asRefusal();
                case FAILED -> throw new UnsupportedOperationException("failed");
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void operationThatRollsBackToASavepointOfItsCaller_hasFailed(Ended ended) throws SQLException {
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            Savepoint callers = connection.setSavepoint();
            Outcome outcome = own(pool()).runIn(connection, call("k"), lent -> {
                pay(lent, "k");
                lent.rollback(callers);
                return ended.response();
            });
            Throwable cause = ((Outcome.Failed) outcome).cause();
            if (ended == Ended.FAILED) {
                assertThat(cause).isInstanceOf(UnsupportedOperationException.class);
            } else {
                assertThat(cause).isInstanceOf(IllegalStateException.class).hasMessageContaining("own savepoints only");
            }
            assertThatThrownBy(() -> pay(connection, "after")).hasMessageContaining("transaction is aborted");
            connection.rollback();
            connection.setAutoCommit(true);
        }
        assertThat(payments("k")).isZero();
        assertThat(stored("k")).isNull();
    }
}
