package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.IdSchemes;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.postgres.BreakingSource.Break;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Races for the same keys, with broken connections and killed sessions: each key has one effect. */
class CallerTransactionsRaceTest {

    private static final int THREADS = 32;
    private static final int KEYS = 60;
    private static final int CALLS_OF_A_THREAD = 60;

    private @Nullable DataSource database;
    private @Nullable Pool pool;
    private final List<Server> servers = new ArrayList<>();

    /** The objects of one server process. */
    private record Server(PostgresStore store, Once once, CallerTransactions own) {}

    @BeforeEach
    void open() throws SQLException {
        database = Postgres.NEWEST.database();
        Postgres.execute(database, "create table payments (payment_id bigserial primary key, key text not null)");
        pool = new Pool(database);
        servers.add(server(pool, pool));
        servers.add(server(pool, pool));
    }

    private static Server server(DataSource forKeys, DataSource forOperations) {
        PostgresStore store = PostgresStore.open(forKeys, PostgresSettings.DEFAULTS.withoutMigration());
        Once once = new Once(store, Time.system(), OnceSettings.DEFAULTS.withQuota(Quota.NONE), OnceListener.NONE);
        return new Server(store, once, new CallerTransactions(forOperations, store, once));
    }

    @AfterEach
    void everyConnection_wasGivenBack() {
        assertThat(pool().lent()).isZero();
        pool().close();
    }

    private DataSource database() {
        return Objects.requireNonNull(database);
    }

    private Pool pool() {
        return Objects.requireNonNull(pool);
    }

    private static Call call(String key) {
        return Call.of(new IdempotencyKey("ann", "POST /payments", key), Fingerprint.ofJson("{\"amount\":100}"));
    }

    private static Response pay(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("insert into payments (key) values (?)")) {
            statement.setString(1, key);
            statement.execute();
        }
        return Response.of(key);
    }

    private Outcome runInOne(Server server, Call call, JdbcOperation operation) throws SQLException {
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            try {
                Outcome outcome = server.own.runIn(connection, call, operation);
                connection.commit();
                return outcome;
            } catch (Throwable e) {
                if (!connection.isClosed()) {
                    connection.rollback();
                }
                throw e;
            } finally {
                if (!connection.isClosed()) {
                    connection.setAutoCommit(true);
                }
            }
        }
    }

    /** A way to run an operation once. */
    private Outcome any(Random random, String key) throws SQLException {
        Server server = servers.get(random.nextInt(servers.size()));
        Call call = call(key).waiting(Duration.ofSeconds(20));
        return switch (random.nextInt(4)) {
            case 0 -> server.own.run(call, connection -> pay(connection, key));
            case 1 -> server.own.runEffectFirst(call, connection -> pay(connection, key));
            case 2 -> runInOne(server, call, connection -> pay(connection, key));
            default ->
                server.once.atomic(call, tx -> {
                    DocumentId id = new DocumentId("payments", "", key + "-" + IdSchemes.TID62.mint());
                    tx.expectAbsent(id);
                    tx.put(new Document(id, 1, tx.now(), tx.now(), null, Json.of("{}"), "", 0), List.of());
                    return Response.of(key);
                });
        };
    }

    private void race(boolean failing) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        CountDownLatch ready = new CountDownLatch(THREADS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(i);
                all.add(threads.submit(() -> {
                    ready.countDown();
                    ready.await();
                    for (int j = 0; j < CALLS_OF_A_THREAD; j++) {
                        String key = "k" + random.nextInt(KEYS);
                        while (!isDone(random, key, failing)) {
                            Thread.onSpinWait();
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void assertOneEffectForEachKey() throws SQLException {
        assertThat(Postgres.ask(
                        database(),
                        "select string_agg(k.idempotency_key || ': ' || e.effects, ', ') from idempotency_keys k"
                                + " cross join lateral (select (select count(*) from payments p where p.key = k.idempotency_key)"
                                + " + (select count(*) from documents d where split_part(d.key, '-', 1) = k.idempotency_key) as effects) e"
                                + " where e.effects <> case k.status when 'completed' then 1 else 0 end"))
                .as("keys without just one effect")
                .isNull();
        assertThat(Postgres.ask(
                        database(),
                        "select (select count(*) from payments) + (select count(*) from documents)"
                                + " - (select count(*) from idempotency_keys where status = 'completed')"))
                .isEqualTo("0");
    }

    private boolean isDone(Random random, String key, boolean failing) throws SQLException {
        try {
            Outcome outcome = any(random, key);
            if (outcome instanceof Outcome.Failed failed && !failing) {
                throw new AssertionError(failed.cause());
            }
            return outcome instanceof Outcome.Executed || outcome instanceof Outcome.Replayed;
        } catch (StoreException | SQLException e) {
            if (!failing) {
                throw e;
            }
            return false;
        }
    }

    @Test
    void manyAtOnce_inEveryForm_onTwoServers_haveOneEffectForEachKey() throws Exception {
        race(false);
        assertOneEffectForEachKey();
    }

    @Test
    void manyAtOnce_whileSessionsAreEnded_haveOneEffectForEachKey() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger ended = new AtomicInteger();
        Thread killer = new Thread(() -> {
            while (!over.get()) {
                try {
                    ended.addAndGet(Integer.parseInt(Objects.requireNonNull(Postgres.ask(
                            database(),
                            "select count(pg_terminate_backend(pid)) from (select pid from pg_stat_activity"
                                    + " where datname = current_database() and pid <> pg_backend_pid()"
                                    + " order by random() limit 1) s"))));
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        killer.start();
        try {
            race(true);
        } finally {
            over.set(true);
            killer.join();
        }
        assertThat(ended.get()).isPositive();
        assertOneEffectForEachKey();
    }

    private Outcome run(CallerTransactions own, boolean effectFirst) {
        JdbcOperation operation = connection -> pay(connection, "k");
        return effectFirst ? own.runEffectFirst(call("k"), operation) : own.run(call("k"), operation);
    }

    private int payments() throws SQLException {
        return Integer.parseInt(Objects.requireNonNull(Postgres.ask(database(), "select count(*) from payments")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void commitWithLostResponse_isFoundByItsCommitId(boolean effectFirst) throws SQLException {
        DataSource breaking = BreakingSource.of(database(), Break.BEFORE_THE_ANSWER_COMES, () -> {});
        assertThat(run(server(pool(), breaking).own, effectFirst)).isInstanceOf(Outcome.Executed.class);
        assertThat(payments()).isEqualTo(1);
        assertThat(run(servers.get(0).own, effectFirst)).isInstanceOf(Outcome.Replayed.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void commitThatNeverReachedTheServer_hasFailed_andTheRetryRuns(boolean effectFirst) throws SQLException {
        DataSource breaking = BreakingSource.of(database(), Break.BEFORE_THE_SERVER_GETS_IT, () -> {});
        assertThat(run(server(pool(), breaking).own, effectFirst)).isInstanceOf(Outcome.Failed.class);
        assertThat(payments()).isZero();
        assertThat(run(servers.get(0).own, effectFirst)).isInstanceOf(Outcome.Executed.class);
        assertThat(payments()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void commitThatCannotBeLookedUp_isLeftOpen_andTheRetryFindsIt(boolean effectFirst) throws SQLException {
        AtomicBoolean away = new AtomicBoolean();
        DataSource absent = (DataSource) Proxy.newProxyInstance(
                CallerTransactionsRaceTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, arguments) -> {
                    if (away.get()) {
                        throw new SQLException("nobody there", "08001");
                    }
                    return pool().getConnection();
                });
        DataSource breaking = BreakingSource.of(database(), Break.BEFORE_THE_ANSWER_COMES, () -> away.set(true));
        Server server = server(absent, breaking);
        assertThatThrownBy(() -> run(server.own, effectFirst))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.isCertain()).isFalse());
        assertThat(run(servers.get(0).own, effectFirst)).isInstanceOf(Outcome.Replayed.class);
        assertThat(payments()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sessionThatIsEndedInTheMiddle_makesItFail(boolean effectFirst) throws SQLException {
        JdbcOperation operation = connection -> {
            pay(connection, "k");
            try (PreparedStatement statement =
                    connection.prepareStatement("select pg_terminate_backend(pg_backend_pid())")) {
                statement.execute();
            }
            return Response.of("never");
        };
        CallerTransactions own = servers.get(0).own;
        Outcome outcome = effectFirst ? own.runEffectFirst(call("k"), operation) : own.run(call("k"), operation);
        assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(SQLException.class);
        assertThat(payments()).isZero();
        assertThat(Objects.requireNonNull(servers.get(0)
                                .store
                                .find(call("k").key(), Quota.NONE)
                                .record())
                        .status())
                .isEqualTo(Status.FAILED);
        assertThat(run(own, effectFirst)).isInstanceOf(Outcome.Executed.class);
    }

    /** Ten calls wait for a call on another server. Their pool has fewer connections than calls. */
    @Test
    void thoseWhoWait_holdNoConnection() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch sign = new CountDownLatch(1);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Server server = servers.get(0);
            Future<Outcome> first = threads.submit(() -> server.own.run(call("k"), connection -> {
                running.countDown();
                sign.await();
                return pay(connection, "k");
            }));
            running.await();
            List<Future<Outcome>> waiting = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                waiting.add(threads.submit(() ->
                        server.own.run(call("k").waiting(Duration.ofMinutes(1)), connection -> pay(connection, "k"))));
            }
            assertThat(server.own.run(call("k"), connection -> pay(connection, "k")))
                    .isInstanceOf(Outcome.InProgress.class);
            assertThat(pool().lent()).isEqualTo(1);
            sign.countDown();
            assertThat(first.get()).isInstanceOf(Outcome.Executed.class);
            for (Future<Outcome> each : waiting) {
                assertThat(each.get()).isInstanceOf(Outcome.Replayed.class);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(payments()).isEqualTo(1);
    }
}
