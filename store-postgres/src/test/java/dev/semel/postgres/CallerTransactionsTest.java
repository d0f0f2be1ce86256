package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Once.UnrecordedException;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.CallerTransaction;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;

/** Effects and key are one commit, and no setting is left on the connection. */
class CallerTransactionsTest {

    /** All settings of a session, its roles and its advisory locks, as one text. */
    private static final String STATE = "select (select string_agg(name || '=' || setting, e'\\n' order by name)"
            + " from pg_settings) || session_user || ' ' || current_user || ' '"
            + " || coalesce(nullif(current_setting('semel.user', true), ''), '-') || ' '"
            + " || (select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory')";

    private @Nullable DataSource database;
    private @Nullable Pool pool;
    private @Nullable PostgresStore store;
    private @Nullable Once once;

    enum Form {
        CLAIMED,
        EFFECT_FIRST,
        JOINED
    }

    @BeforeEach
    void open() throws SQLException {
        database = Postgres.NEWEST.usedDatabase();
        Postgres.execute(
                database,
                "create table if not exists payments (payment_id bigserial primary key, key text not null);"
                        + " truncate payments");
        pool = new Pool(database);
        store = PostgresStore.open(pool, PostgresSettings.DEFAULTS.withoutMigration());
        once = new Once(store, Time.system(), OnceSettings.DEFAULTS.withQuota(Quota.NONE), OnceListener.NONE);
    }

    @AfterEach
    void everyConnection_wasGivenBack() {
        assertThat(pool().lent()).isZero();
        pool().close();
        Postgres.NEWEST.giveBack(database());
    }

    private DataSource database() {
        return Objects.requireNonNull(database);
    }

    private Pool pool() {
        return Objects.requireNonNull(pool);
    }

    private PostgresStore store() {
        return Objects.requireNonNull(store);
    }

    private CallerTransactions own(DataSource source) {
        return new CallerTransactions(source, store(), Objects.requireNonNull(once));
    }

    private Outcome run(Form form, Call call, JdbcOperation operation) throws SQLException {
        return run(form, pool(), call, operation);
    }

    private Outcome run(Form form, DataSource source, Call call, JdbcOperation operation) throws SQLException {
        return switch (form) {
            case CLAIMED -> own(source).run(call, operation);
            case EFFECT_FIRST -> own(source).runEffectFirst(call, operation);
            case JOINED -> {
                try (Connection connection = source.getConnection()) {
                    connection.setAutoCommit(false);
                    try {
                        Outcome outcome = own(source).runIn(connection, call, operation);
                        if (!(outcome instanceof Outcome.Failed)) {
                            connection.commit();
                        }
                        yield outcome;
                    } finally {
                        connection.rollback();
                        connection.setAutoCommit(true);
                    }
                }
            }
        };
    }

    static PGSimpleDataSource like(DataSource database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(((PGSimpleDataSource) database).getUrl());
        source.setUser(((PGSimpleDataSource) database).getUser());
        return source;
    }

    private static Call call(String key) {
        return Call.of(new IdempotencyKey("ann", "POST /payments", key), Fingerprint.ofJson("{\"amount\":100}"));
    }

    private static Response pay(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("insert into payments (key) values (?)")) {
            statement.setString(1, key);
            statement.execute();
        }
        return Response.of("{\"paid\":\"" + key + "\"}");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private int payments(String key) throws SQLException {
        return Integer.parseInt(Objects.requireNonNull(
                Postgres.ask(database(), "select count(*) from payments where key = '" + key + "'")));
    }

    private @Nullable IdempotencyRecord stored(String key) {
        return store().find(call(key).key()).record();
    }

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
        Once engine = Objects.requireNonNull(once);
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
        Response refusal = Response.of("too poor").asRefusal();
        assertThat(run(form, call("k"), connection -> {
                    pay(connection, "k");
                    return refusal;
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(((Outcome.Replayed) run(form, call("k"), connection -> pay(connection, "k"))).response())
                .isEqualTo(refusal);
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
        Outcome again = run(form, call("k"), connection -> pay(connection, "k"));
        assertThat(((Outcome.Executed) again).attempt()).isEqualTo(form == Form.JOINED ? 1 : 3);
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

    @ParameterizedTest
    @EnumSource
    void operationThatResetsAllSettings_isRecorded(Form form) throws SQLException {
        for (Class<?> outcome : List.of(Outcome.Executed.class, Outcome.Replayed.class)) {
            assertThat(run(form, call("k"), connection -> {
                        execute(connection, "reset all; set timezone to 'Asia/Tokyo'");
                        return pay(connection, "k");
                    }))
                    .isInstanceOf(outcome);
        }
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

    /** The login may act as semel_app, but does not own the tables and is no superuser. */
    private DataSource plainUser() throws SQLException {
        Postgres.execute(
                database(),
                "do $$ begin if not exists (select from pg_roles where rolname = 'shop') then"
                        + " create role shop login password 'shop'; grant semel_app to shop with inherit false; end if; end $$;"
                        + " grant select, insert on payments to shop;"
                        + " grant usage on sequence payments_payment_id_seq to shop");
        PGSimpleDataSource source = like(database());
        source.setUser("shop");
        source.setPassword("shop");
        return source;
    }

    @ParameterizedTest
    @EnumSource
    void operation_actsAsWhoeverLoggedIn_andKeysAsSemelsRole(Form form) throws SQLException {
        try (Pool shop = new Pool(plainUser())) {
            Outcome outcome = run(form, shop, call("k"), connection -> {
                assertThat(ask(connection, "select current_user")).isEqualTo("shop");
                assertThat(ask(connection, "select coalesce(current_setting('semel.user', true), '')"))
                        .isEmpty();
                Savepoint before = connection.setSavepoint();
                assertThatThrownBy(() -> ask(connection, "select count(*) from idempotency_keys"))
                        .hasMessageContaining("does not exist");
                connection.rollback(before);
                assertThatThrownBy(() -> ask(connection, "select count(*) from semel.idempotency_keys"))
                        .hasMessageContaining("permission denied");
                connection.rollback(before);
                return pay(connection, "k");
            });
            assertThat(outcome).isInstanceOf(Outcome.Executed.class);
            assertThat(run(form, shop, call("k"), connection -> pay(connection, "k")))
                    .isInstanceOf(Outcome.Replayed.class);
        }
        assertThat(payments("k")).isEqualTo(1);
    }

    /** Compares the settings of a connection before and after each outcome. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingIsLeftOnTheConnection(boolean commitsItself) throws SQLException {
        try (Pool shop = new Pool(plainUser())) {
            try (Connection connection = shop.getConnection()) {
                execute(
                        connection,
                        "set application_name = 'shop'; set lock_timeout = '7s'; select set_config('semel.user', 'zoe', false)");
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                connection.setAutoCommit(commitsItself);
            }
            String before = state(shop, commitsItself);
            for (Form form : Form.values()) {
                if (form == Form.JOINED && !commitsItself) {
                    continue; // the test restores it
                }
                String key = form.name();
                run(form, shop, call(key), connection -> {
                    assertThat(ask(connection, "select current_setting('semel.user')"))
                            .isEqualTo("zoe");
                    return pay(connection, key);
                });
                assertThat(state(shop, commitsItself)).isEqualTo(before);
                run(form, shop, call(key), connection -> pay(connection, key));
                assertThat(state(shop, commitsItself)).isEqualTo(before);
                run(form, shop, call(key + "-failing"), connection -> {
                    throw new IllegalStateException("failing");
                });
                assertThat(state(shop, commitsItself)).isEqualTo(before);
                run(
                        form,
                        shop,
                        call(key + "-refusing"),
                        connection -> Response.of("no").asRefusal());
                assertThat(state(shop, commitsItself)).isEqualTo(before);
            }
        }
    }

    private static String state(DataSource source, boolean commitsItself) throws SQLException {
        try (Connection connection = source.getConnection()) {
            assertThat(connection.getAutoCommit()).isEqualTo(commitsItself);
            String isolation = String.valueOf(connection.getTransactionIsolation());
            String state = ask(connection, STATE) + isolation;
            if (!commitsItself) {
                connection.rollback();
            }
            return state;
        }
    }

    @Test
    void hostileOperation_thatEndsTheTransactionByTheConnection_isRejected() throws SQLException {
        for (Form form : Form.values()) {
            AtomicInteger refused = new AtomicInteger();
            Connection[] kept = new Connection[1];
            run(form, call("k-" + form), connection -> {
                kept[0] = connection;
                pay(connection, "k-" + form);
                for (Ending ending : Ending.values()) {
                    assertThatThrownBy(() -> ending.end(connection))
                            .hasMessageContaining("must not end its transaction");
                    refused.incrementAndGet();
                }
                return Response.of("done");
            });
            assertThat(refused.get()).isEqualTo(Ending.values().length);
            assertThat(payments("k-" + form)).isEqualTo(1);
            assertThatThrownBy(() -> pay(kept[0], "late")).hasMessageContaining("cannot be used any more");
        }
    }

    /** Calls that would end the transaction. */
    private enum Ending {
        COMMIT,
        ROLLBACK,
        CLOSE,
        COMMIT_BY_ITSELF,
        ABORT;

        void end(Connection connection) throws SQLException {
            switch (this) {
                case COMMIT -> connection.commit();
                case ROLLBACK -> connection.rollback();
                case CLOSE -> connection.close();
                case COMMIT_BY_ITSELF -> connection.setAutoCommit(true);
                case ABORT -> connection.abort(Runnable::run);
            }
        }
    }

    /** What the operation committed stays, and the operation is not run again. */
    @ParameterizedTest
    @EnumSource(names = {"CLAIMED", "JOINED"})
    void hostileOperation_thatCommitsByAStatement_isReported_andNotRunAgain(Form form) throws SQLException {
        int number = 0;
        for (boolean throwing : new boolean[] {false, true}) {
            for (boolean refusing : new boolean[] {false, true}) {
                String key = "k" + number++;
                assertThatThrownBy(() -> run(form, call(key), connection -> {
                            pay(connection, key);
                            execute(connection, "commit");
                            if (throwing) {
                                throw new IllegalStateException("after the commit");
                            }
                            return refusing ? Response.of("no").asRefusal() : Response.of("done");
                        }))
                        .isInstanceOf(CallerTransaction.EndedException.class);
                assertThat(run(form, call(key), connection -> pay(connection, key)))
                        .isInstanceOf(Outcome.Unknown.class);
                assertThat(payments(key)).isEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void hostileOperation_thatSetsItsRole_isRecordedAllTheSame(Form form) throws SQLException {
        Outcome outcome = run(form, call("k"), connection -> {
            execute(connection, "set local role semel_service; select set_config('semel.user', 'zoe', true)");
            return Response.of("done");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(Objects.requireNonNull(stored("k")).status()).isEqualTo(Status.COMPLETED);
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

    /** Like behind a transaction pooler. */
    @ParameterizedTest
    @EnumSource
    void worksWhereNoSessionOutlivesItsTransaction(Form form) throws SQLException {
        DataSource forgetful = ForgetfulSource.of(database());
        assertThat(run(form, forgetful, call("k"), connection -> pay(connection, "k")))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(run(form, forgetful, call("k"), connection -> pay(connection, "k")))
                .isInstanceOf(Outcome.Replayed.class);
        assertThat(payments("k")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIMED", "EFFECT_FIRST"})
    void worksWithStricterIsolation(Form form) throws SQLException {
        PGSimpleDataSource strict = like(database());
        for (String isolation : new String[] {"repeatable read", "serializable"}) {
            strict.setOptions("-c default_transaction_isolation=" + isolation.replace(" ", "\\ "));
            String key = isolation.replace(' ', '-');
            assertThat(run(form, strict, call(key), connection -> {
                        assertThat(ask(connection, "show transaction_isolation"))
                                .isEqualTo(isolation);
                        return pay(connection, key);
                    }))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(run(form, strict, call(key), connection -> pay(connection, key)))
                    .isInstanceOf(Outcome.Replayed.class);
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
