package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.store.DocumentId;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.CommitResult;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Statements reach the tables of their schema, whatever a session's search path or temporary tables are. */
class SearchPathTest {

    private static final List<String> RELATIONS = List.of(
            "semel_schema_version",
            "idempotency_records",
            "cleanup_logs",
            "idempotency_keys",
            "documents",
            "index_entries",
            "commit_log",
            "game_settlements");

    private final PGSimpleDataSource database = Postgres.NEWEST.emptyDatabase();

    private static Call call(String key) {
        return Call.of(Stored.key("ann", key), Fingerprint.ofJson("1"));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void inSession(Pool pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            execute(connection, sql);
        }
    }

    private long count(String table) throws SQLException {
        return Long.parseLong(String.valueOf(Postgres.ask(database, "select count(*) from " + table)));
    }

    /** An application with a schema for each tenant, one of which contains tables of Semel, too. */
    @ParameterizedTest
    @ValueSource(strings = {"set search_path to tenant", "set local search_path to tenant", "reset search_path"})
    void operationThatChangesTheSearchPath_runsOnce(String change) throws SQLException {
        PostgresSettings settings = PostgresSettings.DEFAULTS.withSchema("shop");
        PostgresStore.open(database, PostgresSettings.DEFAULTS.withSchema("tenant"))
                .close();
        Postgres.execute(database, "create table tenant.payments (key text)");
        try (Pool pool = new Pool(database);
                PostgresStore store = PostgresStore.open(pool, settings)) {
            CallerTransactions transactions = CallerTransactions.on(store);
            JdbcOperation pay = connection -> {
                execute(connection, change + "; insert into tenant.payments values ('k')");
                return Response.of("paid");
            };
            for (Class<?> outcome : List.of(Outcome.Executed.class, Outcome.Replayed.class, Outcome.Replayed.class)) {
                assertThat(transactions.run(call("claimed"), pay)).isInstanceOf(outcome);
                assertThat(transactions.runEffectFirst(call("effect-first"), pay))
                        .isInstanceOf(outcome);
                try (Connection connection = pool.getConnection()) {
                    connection.setAutoCommit(false);
                    assertThat(transactions.runIn(connection, call("joined"), pay))
                            .isInstanceOf(outcome);
                    connection.commit();
                    connection.setAutoCommit(true);
                }
            }
            pool.assertNoneLent();
        }
        assertThat(count("tenant.payments")).isEqualTo(3);
        assertThat(count("shop.idempotency_keys")).isEqualTo(3);
        assertThat(count("tenant.idempotency_keys")).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void temporaryTablesOfAPooledConnection_areNotUsed(boolean whileInstalling) throws SQLException {
        try (Pool pool = new Pool(database)) {
            if (!whileInstalling) {
                PostgresStore.open(pool, PostgresSettings.DEFAULTS).close();
            }
            for (String relation : RELATIONS) {
                inSession(pool, "create temp table " + relation + " (id int)");
            }
            try (PostgresStore store = PostgresStore.open(pool, PostgresSettings.DEFAULTS)) {
                useAll(store);
            }
            inSession(pool, "update semel.idempotency_records set deadline = now(), purge_at = now()");
            inSession(pool, "set role semel_service; select semel.cleanup_expired_idempotency_keys(); reset role");
            assertThat(pool.mostLent()).isEqualTo(1);
        }
        assertThat(count("semel.idempotency_keys")).isZero();
        assertThat(count("semel.cleanup_logs")).isPositive();
    }

    private static void useAll(PostgresStore store) {
        DocumentId id = new DocumentId("things", "", "d");
        assertThat(store.commit(Stored.commit("a", Stored.key("ann", "k"), id, IndexEntry.inCommitOrder(""))))
                .isInstanceOf(CommitResult.Applied.class);
        assertThat(store.commit(Stored.write("b", id, store.clock().instant(), IndexEntry.inCommitOrder(""))))
                .isInstanceOf(CommitResult.Applied.class);
        assertThat(CallerTransactions.on(store).run(call("paid"), connection -> {
                    try (Statement statement = connection.createStatement();
                            ResultSet rows = statement.executeQuery("select count(*) from documents")) {
                        rows.next();
                        return Response.of("temporary: " + rows.getLong(1));
                    }
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(store.find(Stored.key("ann", "k")).record()).isNotNull();
        assertThat(store.admin().list(KeyQuery.all(10)).records()).hasSize(2);
        assertThat(new Sweeper(store.admin(), Time.system()).sweep()).anyMatch(cleanup -> cleanup.deleted() > 0);
        assertThat(store.read(id)).isEmpty();
    }

    @Test
    void locksOfOneSchema_doNotBlockAnother() throws SQLException {
        try (Pool pool = new Pool(database);
                PostgresStore store = PostgresStore.open(pool, PostgresSettings.DEFAULTS.withSchema("shop"));
                PostgresStore other = PostgresStore.open(pool, PostgresSettings.DEFAULTS.withSchema("tenant"))) {
            Outcome outcome = CallerTransactions.on(store).run(call("k"), connection -> {
                assertThat(CallerTransactions.on(other).run(call("k"), inner -> Response.of("inner")))
                        .isInstanceOf(Outcome.Executed.class);
                return Response.of("outer");
            });
            assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        }
    }
}
