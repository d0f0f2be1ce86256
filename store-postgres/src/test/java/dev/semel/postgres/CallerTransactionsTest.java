package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.once.Once;
import dev.semel.once.Once.UnrecordedException;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Effects and key are one commit. */
class CallerTransactionsTest extends CallerTransactionsFixture {

    @ParameterizedTest
    @EnumSource
    void effectAndKey_areOneCommit_andARetryReplaysIt(Form form) throws SQLException {
        Outcome first = run(form, call("k"), connection -> pay(connection, "k"));
        assertThat(((Outcome.Executed) first).response().text()).isEqualTo("{\"paid\":\"k\"}");
        Outcome second = run(form, call("k"), connection -> pay(connection, "k"));
        assertThat(((Outcome.Replayed) second).response().text()).isEqualTo("{\"paid\":\"k\"}");
        assertThat(payments("k")).isEqualTo(1);
        assertThat(Postgres.ask(
                        database(),
                        "select concat_ws(' ', user_id, endpoint, status, attempts, response_payload ->> 'paid')"
                                + " from idempotency_keys"))
                .isEqualTo("ann POST /payments completed 1 k");
    }

    @ParameterizedTest
    @EnumSource
    void keyThatWasUsedHere_isUsedInTheEngineToo_andTheOtherWayRound(Form form) throws SQLException {
        Once engine = engine();
        run(form, call("here"), connection -> pay(connection, "here"));
        assertThat(engine.atomic(call("here"), tx -> Response.of("no"))).isInstanceOf(Outcome.Replayed.class);
        engine.atomic(call("there"), tx -> Response.of("there"));
        Outcome replayed = run(form, call("there"), connection -> pay(connection, "there"));
        assertThat(((Outcome.Replayed) replayed).response().text()).isEqualTo("there");
        assertThat(payments("there")).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void refusal_isRecorded_withoutWhatTheOperationWrote(Form form) throws SQLException {
        Response refusal = Response.of(403, Map.of(), new byte[0]).asRefusal();
        assertThat(run(form, call("k"), connection -> {
                    pay(connection, "k");
                    return refusal;
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(((Outcome.Replayed) run(form, call("k"), connection -> pay(connection, "k"))).response())
                .isEqualTo(refusal);
        assertThat(Objects.requireNonNull(stored("k")).outcome()).isEqualTo(403);
        assertThat(payments("k")).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void operationThatThrows_hasFailed_andItsRetryRuns(Form form) throws SQLException {
        for (Throwable thrown : new Throwable[] {new SQLException("no"), new AssertionError("an error")}) {
            Outcome failed = run(form, call("k"), connection -> {
                pay(connection, "k");
                return sneakily(thrown);
            });
            assertThat(((Outcome.Failed) failed).cause()).isSameAs(thrown);
        }
        assertThat(payments("k")).isZero();
        IdempotencyRecord record = stored("k");
        assertThat(record == null ? null : record.status()).isEqualTo(form == Form.JOINED ? null : Status.FAILED);
        assertThat(record == null ? null : record.cause())
                .isEqualTo(form == Form.JOINED ? null : "AssertionError: an error");
        Outcome again = run(form, call("k"), connection -> pay(connection, "k"));
        assertThat(((Outcome.Executed) again).attempt()).isEqualTo(form == Form.JOINED ? 1 : 3);
        assertThat(Objects.requireNonNull(stored("k")).outcome()).isEqualTo(200);
        assertThat(Objects.requireNonNull(stored("k")).cause()).isNull();
        assertThat(payments("k")).isEqualTo(1);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> Response sneakily(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @ParameterizedTest
    @EnumSource
    void operationThatHoldsNothingAgainstItsKey_leavesItAsItWas(Form form) throws SQLException {
        Outcome outcome = run(form, call("k"), connection -> {
            pay(connection, "k");
            throw new UnrecordedException("not now");
        });
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        assertThat(stored("k")).isNull();
        assertThat(payments("k")).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void statementThatTheServerRefuses_makesItFail(Form form) throws SQLException {
        String[] statements = {
            "select 1/0",
            "set local statement_timeout = 1; select pg_sleep(10)",
            "do $$ begin raise exception using errcode = '40001'; end $$",
            "do $$ begin raise exception using errcode = '40P01'; end $$"
        };
        for (String sql : statements) {
            Outcome outcome = run(form, call("k"), connection -> {
                pay(connection, "k");
                execute(connection, sql);
                return Response.of("never");
            });
            assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(SQLException.class);
        }
        assertThat(payments("k")).isZero();
        assertThat(run(form, call("k"), connection -> pay(connection, "k"))).isInstanceOf(Outcome.Executed.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIMED", "EFFECT_FIRST"})
    void constraintThatIsCheckedAtTheCommit_makesItFail(Form form) throws SQLException {
        Postgres.execute(
                database(),
                "drop table if exists parts; create table parts (part int unique deferrable initially deferred)");
        Outcome outcome = run(form, call("k"), connection -> {
            pay(connection, "k");
            execute(connection, "insert into parts values (1), (1)");
            return Response.of("never");
        });
        assertThat(((Outcome.Failed) outcome).cause()).hasMessageContaining("parts_part_key");
        assertThat(payments("k")).isZero();
        assertThat(Objects.requireNonNull(stored("k")).status()).isEqualTo(Status.FAILED);
    }

    @ParameterizedTest
    @EnumSource
    void errorThatTheOperationHides_makesItFail(Form form) throws SQLException {
        Outcome outcome = run(form, call("k"), connection -> {
            pay(connection, "k");
            assertThatThrownBy(() -> execute(connection, "select 1/0")).isInstanceOf(SQLException.class);
            return Response.of("all is well");
        });
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        assertThat(payments("k")).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIMED", "JOINED"})
    void callsOfTheEngineWithItsKey_areInProgressAtOnce(Form form) throws Exception {
        Once engine = new Once(
                PostgresStore.open(pool(), PostgresSettings.DEFAULTS.withoutMigration()),
                Time.system(),
                OnceSettings.DEFAULTS,
                OnceListener.NONE);
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Outcome outcome = run(form, call("k"), connection -> {
                long startedAt = System.nanoTime();
                // on another thread, and without the lock timeout of five seconds
                assertThat(threads.submit(() -> engine.atomic(call("k"), tx -> Response.of("second")))
                                .get(60, TimeUnit.SECONDS))
                        .isInstanceOf(Outcome.InProgress.class);
                assertThat(threads.submit(() ->
                                        engine.leased(call("k"), IfAbandoned.RERUN, lease -> Response.of("third")))
                                .get(60, TimeUnit.SECONDS))
                        .isInstanceOf(Outcome.InProgress.class);
                assertThat(threads.submit(() -> engine.atomic(call("k"), tx -> {
                                    throw new IllegalStateException("failing");
                                }))
                                .get(60, TimeUnit.SECONDS))
                        .isInstanceOf(Outcome.Failed.class);
                assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofSeconds(4));
                return pay(connection, "k");
            });
            assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        } finally {
            threads.shutdownNow();
        }
        assertThat(engine.atomic(call("k"), tx -> Response.of("no"))).isInstanceOf(Outcome.Replayed.class);
        assertThat(payments("k")).isEqualTo(1);
    }

    /** Like an operation that uses a JdbcTemplate. Refusals need no connection. */
    @Test
    void operationThatDoesNotUseItsConnection_isLoggedOnce() throws SQLException {
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new StreamHandler() {
            @Override
            public synchronized void publish(LogRecord record) {
                logged.add(record.getLevel() + " " + record.getMessage());
            }
        };
        Logger logger = Logger.getLogger(CallerTransactions.class.getName());
        logger.addHandler(handler);
        try {
            CallerTransactions transactions = own(pool());
            transactions.run(call("used"), connection -> pay(connection, "used"));
            transactions.run(call("refused"), connection -> Response.of("no").asRefusal());
            assertThat(logged).isEmpty();
            for (String key : List.of("a", "b")) {
                transactions.run(call(key), connection -> {
                    try (Connection other = pool().getConnection()) {
                        return pay(other, key);
                    }
                });
            }
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(logged)
                .singleElement()
                .asString()
                .startsWith("WARNING Connection not used: endpoint POST /payments.");
    }

    @ParameterizedTest
    @EnumSource
    void operationThatCallsForItself_failsWithAClearMessage(Form form) throws SQLException {
        for (Form inner : Form.values()) {
            String key = "k-" + inner;
            Outcome outcome = run(form, call(key), connection -> {
                pay(connection, key);
                run(inner, call(key), deeper -> pay(deeper, key));
                return Response.of("never");
            });
            assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(IllegalStateException.class);
            outcome = run(form, call(key), connection -> {
                own(pool()).runIn(connection, call(key), deeper -> pay(deeper, key));
                return Response.of("never");
            });
            assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(IllegalStateException.class);
            assertThat(payments(key)).isZero();
        }
    }

    /** Counted at the socket, with one statement in the operation. */
    @Test
    void roundTrips_areFew() throws SQLException {
        PGSimpleDataSource counting = like(database());
        counting.setSocketFactory(CountingSockets.class.getName());
        try (Pool one = new Pool(counting)) {
            for (int i = 0; i < 10; i++) { // until the driver has prepared the statements
                String key = "warm-" + i;
                for (Form form : Form.values()) {
                    run(form, one, call(key + form), connection -> pay(connection, key));
                }
            }
            assertThat(roundTrips(() -> run(Form.CLAIMED, one, call("a"), connection -> pay(connection, "a"))))
                    .isEqualTo(3);
            assertThat(roundTrips(() -> run(Form.EFFECT_FIRST, one, call("b"), connection -> pay(connection, "b"))))
                    .isEqualTo(2);
            assertThat(roundTrips(() -> run(Form.JOINED, one, call("c"), connection -> pay(connection, "c"))))
                    .as("with the caller's own commit")
                    .isEqualTo(4);
            assertThat(roundTrips(() -> run(Form.CLAIMED, one, call("a"), connection -> pay(connection, "a"))))
                    .as("a replay")
                    .isEqualTo(2);
            assertThat(roundTrips(() -> run(Form.EFFECT_FIRST, one, call("b"), connection -> pay(connection, "b"))))
                    .as("a replay that ran first")
                    .isEqualTo(5);
        }
    }

    private interface Doing {
        void run() throws SQLException;
    }

    private static long roundTrips(Doing doing) throws SQLException {
        long before = CountingSockets.roundTrips();
        doing.run();
        return CountingSockets.roundTrips() - before;
    }
}
