package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.once.Outcome;
import dev.semel.store.Response;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Roles, settings and isolation: what an operation sees, and what is left on its connection. */
class CallerSettingsTest extends CallerTransactionsFixture {

    /** All settings of a session, its roles and its advisory locks, as one text. */
    private static final String STATE = "select (select string_agg(name || '=' || setting, e'\\n' order by name)"
            + " from pg_settings) || session_user || ' ' || current_user || ' '"
            + " || coalesce(nullif(current_setting('semel.user', true), ''), '-') || ' '"
            + " || (select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory')";

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

    /** Without row security, the server rejects the statements of a role that it applies to. */
    @ParameterizedTest
    @EnumSource
    void operationThatTurnsRowSecurityOff_isRecorded(Form form) throws SQLException {
        try (Pool shop = new Pool(plainUser())) {
            try (Connection connection = shop.getConnection()) {
                execute(connection, "set row_security = off");
            }
            for (Class<?> outcome : List.of(Outcome.Executed.class, Outcome.Replayed.class)) {
                assertThat(run(form, shop, call("k"), connection -> {
                            assertThat(ask(connection, "show row_security")).isEqualTo("off");
                            execute(connection, "set local row_security = off");
                            return pay(connection, "k");
                        }))
                        .isInstanceOf(outcome);
            }
            assertThat(run(form, shop, call("refused"), connection -> {
                        execute(connection, "set row_security = off");
                        return Response.of("no").asRefusal();
                    }))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(shop.lent()).isZero();
        }
        assertThat(payments("k")).isEqualTo(1);
    }
}
