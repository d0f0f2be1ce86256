package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Outcome;
import dev.semel.store.Response;
import dev.semel.store.Store;
import dev.semel.store.Time;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.ExpiryContract;
import dev.semel.testkit.MismatchContract;
import dev.semel.testkit.QuotaContract;
import dev.semel.testkit.ReplayContract;
import dev.semel.testkit.StateTableContract;
import dev.semel.testkit.WaitingContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/** What holds for operations of the engine holds for those in own transactions: the same topics of the contract, in each form. */
class OwnTransactionsContractTest {

    @Nested
    class Claimed extends Topics {

        @Override
        Outcome run(OwnTransactions own, Call call, OwnOperation operation) {
            return own.run(call, operation);
        }
    }

    @Nested
    class EffectFirst extends Topics {

        @Override
        Outcome run(OwnTransactions own, Call call, OwnOperation operation) {
            return own.runEffectFirst(call, operation);
        }
    }

    @Nested
    class InTheCallersTransaction extends Topics {

        @Override
        Outcome run(OwnTransactions own, Call call, OwnOperation operation) throws SQLException {
            try (Connection connection = pool().getConnection()) {
                connection.setAutoCommit(false);
                try {
                    return own.runIn(connection, call, operation);
                } finally {
                    connection.commit();
                    connection.setAutoCommit(true);
                }
            }
        }
    }

    abstract static class Topics
            implements StateTableContract,
                    ReplayContract,
                    MismatchContract,
                    WaitingContract,
                    ExpiryContract,
                    QuotaContract {

        private final ControlledTime time = new ControlledTime();
        private @Nullable DataSource database;
        private @Nullable Pool pool;
        private @Nullable PostgresStore store;

        abstract Outcome run(OwnTransactions own, Call call, OwnOperation operation) throws SQLException;

        @BeforeEach
        void openStore() throws SQLException {
            database = Postgres.NEWEST.usedDatabase();
            pool = new Pool(database);
            store = (PostgresStore) openAnother(time);
        }

        @AfterEach
        void everyConnection_wasGivenBack() {
            assertThat(pool().lent()).isZero();
            pool().close();
            Postgres.NEWEST.giveBack(Objects.requireNonNull(database));
        }

        Pool pool() {
            return Objects.requireNonNull(pool);
        }

        @Override
        public Store store() {
            return Objects.requireNonNull(store);
        }

        @Override
        public ControlledTime time() {
            return time;
        }

        @Override
        public Store openAnother(Time time) {
            return PostgresStore.open(pool(), PostgresSettings.DEFAULTS.withoutMigration(), time);
        }

        @Override
        public List<Mode> modes() {
            return List.of(Mode.ATOMIC);
        }

        @Override
        public Outcome run(Once once, Mode mode, Call call, Callable<Response> operation) {
            if (mode == Mode.LEASED) {
                return StateTableContract.super.run(once, mode, call, operation);
            }
            try {
                OwnTransactions own = new OwnTransactions(pool(), Objects.requireNonNull(store), once);
                return run(own, call, connection -> operation.call());
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
