package dev.semel.postgres;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.ExpiryContract;
import dev.semel.testkit.MismatchContract;
import dev.semel.testkit.QuotaContract;
import dev.semel.testkit.ReplayContract;
import dev.semel.testkit.StateTableContract;
import dev.semel.testkit.WaitingContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Runs topics of the store contract with each way to run an operation in a caller-managed transaction. */
class CallerTransactionsContractTest {

    @Nested
    class Claimed extends Topics implements WaitingContract {

        @Override
        Outcome run(CallerTransactions own, Call call, JdbcOperation operation) {
            return own.run(call, operation);
        }

        /** The transaction holds the lock of the key until it ends. */
        @Test
        void operationThatHangs_keepsItsKey() throws Exception {
            assertHangingOneKeepsItsKey();
        }
    }

    @Nested
    class EffectFirst extends Topics implements WaitingContract {

        @Override
        Outcome run(CallerTransactions own, Call call, JdbcOperation operation) {
            return own.runEffectFirst(call, operation);
        }

        @Test
        void operationThatHangs_isNoLongerWaitedForAfterTheLongestRun() throws Exception {
            assertHangingOneIsGivenUp();
        }
    }

    /** Without the topic of waiting: nothing notifies waiting calls when the caller commits, so they poll. */
    @Nested
    class InTheCallersTransaction extends Topics {

        @Override
        Outcome run(CallerTransactions own, Call call, JdbcOperation operation) throws SQLException {
            try (Connection connection = pool().getConnection()) {
                connection.setAutoCommit(false);
                try {
                    Outcome outcome = own.runIn(connection, call, operation);
                    if (!(outcome instanceof Outcome.Failed)) {
                        connection.commit();
                    }
                    return outcome;
                } finally {
                    connection.rollback();
                    connection.setAutoCommit(true);
                }
            }
        }

        /** A failure is not recorded, so a retry is the first attempt again. */
        @Override
        public void replaysMismatchesAndRetries_doNotCount(Mode mode) {
            Once once = newOnce(store(), SETTINGS.withQuota(new Quota(1, Duration.ofHours(1))), OnceListener.NONE);
            assertFailureLeavesNothing(once);
            assertThat(run(once, mode, call("another"), () -> Response.of("no")))
                    .isInstanceOf(Outcome.Limited.class);
            assertThat(run(once, mode, call("k"), () -> Response.of("no"))).isInstanceOf(Outcome.Replayed.class);
        }

        private void assertFailureLeavesNothing(Once once) {
            Outcome failed = run(once, Mode.ATOMIC, call("k"), () -> {
                throw new IllegalStateException("failed");
            });
            assertThat(failed).isInstanceOf(Outcome.Failed.class);
            assertThat(stored(call("k"))).isNull();
            Outcome again = run(once, Mode.ATOMIC, call("k"), () -> Response.of("done"));
            assertThat(((Outcome.Executed) again).attempt()).isEqualTo(1);
        }
    }

    abstract static class Topics
            implements StateTableContract, ReplayContract, MismatchContract, ExpiryContract, QuotaContract {

        private final ControlledTime time = new ControlledTime();
        private @Nullable DataSource database;
        private @Nullable Pool pool;
        private @Nullable PostgresStore store;

        abstract Outcome run(CallerTransactions own, Call call, JdbcOperation operation) throws SQLException;

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
        public DocumentStore store() {
            return Objects.requireNonNull(store);
        }

        @Override
        public ControlledTime time() {
            return time;
        }

        @Override
        public DocumentStore openAnother(Time time) {
            return PostgresStore.open(pool(), PostgresSettings.DEFAULTS.withoutMigration(), time);
        }

        void assertHangingOneKeepsItsKey() throws Exception {
            assertThat(((Outcome.Executed) whileOneHangs(Outcome.InProgress.class)).response())
                    .isEqualTo(Response.of("late"));
        }

        void assertHangingOneIsGivenUp() throws Exception {
            assertThat(((Outcome.Replayed) whileOneHangs(Outcome.Executed.class)).response())
                    .isEqualTo(Response.of("second"));
        }

        /** Returns the outcome of a call that takes longer than the longest run; a second call meanwhile has an outcome of a given type. */
        private Outcome whileOneHangs(Class<? extends Outcome> second) throws Exception {
            Once once = newOnce();
            ExecutorService threads = Executors.newCachedThreadPool();
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch sign = new CountDownLatch(1);
            try {
                Future<Outcome> hanging = threads.submit(() -> run(once, Mode.ATOMIC, call("k"), () -> {
                    running.countDown();
                    sign.await();
                    return Response.of("late");
                }));
                running.await();
                time().advance(SETTINGS.longestRun().plusSeconds(1));
                assertThat(run(once, Mode.ATOMIC, call("k"), () -> Response.of("second")))
                        .isInstanceOf(second);
                sign.countDown();
                return hanging.get();
            } finally {
                threads.shutdownNow();
            }
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
                CallerTransactions own = new CallerTransactions(pool(), Objects.requireNonNull(store), once);
                return run(own, call, connection -> operation.call());
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
