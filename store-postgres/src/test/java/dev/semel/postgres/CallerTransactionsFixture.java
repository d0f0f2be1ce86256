package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.IdempotencyRecord;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.postgresql.ds.PGSimpleDataSource;

/** A database with payments, a pool of connections, and operations that pay. */
abstract class CallerTransactionsFixture {

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

    DataSource database() {
        return Objects.requireNonNull(database);
    }

    Pool pool() {
        return Objects.requireNonNull(pool);
    }

    PostgresStore store() {
        return Objects.requireNonNull(store);
    }

    CallerTransactions own(DataSource source) {
        return new CallerTransactions(source, store(), engine());
    }

    Outcome run(Form form, Call call, JdbcOperation operation) throws SQLException {
        return run(form, pool(), call, operation);
    }

    Outcome run(Form form, DataSource source, Call call, JdbcOperation operation) throws SQLException {
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

    static Call call(String key) {
        return Call.of(new IdempotencyKey("ann", "POST /payments", key), Fingerprint.ofJson("{\"amount\":100}"));
    }

    static Response pay(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("insert into payments (key) values (?)")) {
            statement.setString(1, key);
            statement.execute();
        }
        return Response.of("{\"paid\":\"" + key + "\"}");
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    int payments(String key) throws SQLException {
        return Integer.parseInt(Objects.requireNonNull(
                Postgres.ask(database(), "select count(*) from payments where key = '" + key + "'")));
    }

    @Nullable IdempotencyRecord stored(String key) {
        return store().find(call(key).key()).record();
    }

    Once engine() {
        return Objects.requireNonNull(once);
    }
}
