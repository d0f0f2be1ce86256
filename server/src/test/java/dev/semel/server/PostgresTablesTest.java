package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.postgres.Postgres;
import dev.semel.server.settings.Setting;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The tables of a server as plain JDBC clients see them, some of them hostile. */
class PostgresTablesTest {

    private static PGSimpleDataSource database;
    private static ServerFixture server;

    @BeforeAll
    static void start() {
        database = Postgres.NEWEST.database();
        server = ServerFixture.onPostgres(Postgres.url(database), Map.of(Setting.STORE_CONNECTIONS, "3"));
        assertThat(post("ann", "a-1").status()).isEqualTo(201);
        assertThat(post("bob", "b-1").status()).isEqualTo(201);
        assertThat(server.as("ann")
                        .post("/v1/collections/orders/records", "{\"n\":1}")
                        .status())
                .isEqualTo(201);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static ServerFixture.Reply post(String user, String key) {
        return server.as(user)
                .post("/v1/feed/posts", "{\"text\":\"Hi\"}", "Idempotency-Key", key, "X-Client-Tx-Id", "tx-" + key);
    }

    /** Returns the rows of statements in one transaction, with columns separated by bars. */
    private static List<String> rows(String... statements) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("set local search_path to semel");
            List<String> rows = new ArrayList<>();
            for (String sql : statements) {
                rows.clear();
                if (statement.execute(sql)) {
                    read(statement.getResultSet(), rows);
                }
            }
            connection.rollback();
            return rows;
        }
    }

    private static void read(ResultSet result, List<String> rows) throws SQLException {
        while (result.next()) {
            List<String> columns = new ArrayList<>();
            for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                columns.add(String.valueOf(result.getString(i)));
            }
            rows.add(String.join("|", columns));
        }
    }

    @Test
    void columns_areThoseOfTheContract() throws Exception {
        String columns =
                "select column_name from information_schema.columns where table_schema = 'semel' and table_name = ";
        assertThat(rows(columns + "'idempotency_keys'"))
                .contains(
                        "id",
                        "idempotency_key",
                        "client_tx_id",
                        "user_id",
                        "endpoint",
                        "payload_hash",
                        "response_payload",
                        "status",
                        "created_at",
                        "expires_at");
        assertThat(rows(columns + "'cleanup_logs'"))
                .containsExactlyInAnyOrder("table_name", "deleted_count", "cleanup_time");
        assertThat(rows(columns + "'game_settlements'"))
                .containsExactlyInAnyOrder(
                        "id", "settlement_id", "table_id", "tournament_id", "hand_id", "payload", "created_at");
    }

    @Test
    void tables_areNotInThePublicSchema() throws Exception {
        assertThat(rows("select relname from pg_class where relnamespace = 'public'::regnamespace"))
                .isEmpty();
    }

    @Test
    void request_leavesARowThatPeopleCanRead() throws Exception {
        assertThat(
                        rows(
                                "select idempotency_key, client_tx_id, endpoint, status, response_payload ->> 'text', response_status,"
                                        + " expires_at - created_at > interval '23 hours' from idempotency_keys where user_id = 'ann'"))
                .containsExactly("a-1|tx-a-1|POST /v1/feed/posts|completed|Hi|201|t");
    }

    @Test
    void settlements_areARowEachHoweverOftenTheyCome() throws Exception {
        String table = server.as("ann").post("/v1/tables", "").text("tableId");
        String hand =
                server.as("ann").post("/v1/tables/" + table + "/hands", "").text("handId");
        String body = "{\"tableId\":\"" + table + "\",\"handId\":\"" + hand + "\",\"tournamentId\":\"t-1\",\"pot\":10}";
        assertThat(server.as("ann").post("/v1/settlements", body).text("duplicate"))
                .isEqualTo("false");
        assertThat(server.as("bob").post("/v1/settlements", body).text("duplicate"))
                .isEqualTo("true");
        assertThat(rows("select settlement_id, table_id, tournament_id, hand_id, payload ->> 'pot', id is not null,"
                        + " created_at > now() - interval '1 hour' from game_settlements where table_id = '" + table
                        + "'"))
                .containsExactly(table + ":" + hand + "|" + table + "|t-1|" + hand + "|10|t|t");
        assertThat(String.join(
                        "\n",
                        rows(
                                "set local enable_seqscan = off",
                                "explain select * from game_settlements" + " where table_id = '" + table
                                        + "' order by created_at desc limit 5")))
                .contains("documents_settlements");
    }

    @Test
    void rowsOfOtherUsers_areNeitherSeenNorChanged() throws Exception {
        String role = "set local role semel_app";
        String bob = "select set_config('semel.user', 'bob', true)";
        String keys = "select user_id from idempotency_keys";
        assertThat(rows(role, keys)).isEmpty();
        assertThat(rows(role, bob, keys)).containsExactly("bob");
        assertThat(rows(role, bob, "select (select max(user_id) from idempotency_keys where user_id = 'ann')"))
                .containsExactly("null");
        assertThat(rows(role, bob, "update idempotency_keys set attempts = 9 where user_id = 'ann' returning 1"))
                .isEmpty();
        assertThat(rows(role, bob, "delete from idempotency_keys returning user_id"))
                .containsExactly("bob");
        assertThat(rows(role, bob, "select owner from documents where owner <> ''"))
                .isEmpty();
        assertThat(rows(
                        role,
                        "select set_config('semel.user', 'ann', true)",
                        "select distinct owner from documents where owner <> ''"))
                .containsExactly("ann");
        String both = "select set_config('semel.user', 'ann' || chr(31) || 'bob', true)";
        assertThat(rows(role, both, keys + " order by 1")).containsExactly("ann", "bob");
        assertThat(rows(role, "select set_config('semel.user', 'ann,bob', true)", keys))
                .isEmpty();
        assertThatThrownBy(() -> rows(role, bob, "update idempotency_keys set user_id = 'ann'"))
                .hasMessageContaining("row-level security");
        assertThatThrownBy(() -> rows(role, "select * from cleanup_logs")).hasMessageContaining("permission denied");
        assertThatThrownBy(() -> rows(role, "alter table idempotency_records disable row level security"))
                .hasMessageContaining("must be owner");
        assertThat(rows(keys + " order by 1")).containsExactly("ann", "bob");
    }

    /** Pooled connections keep no state between requests, and have no user. */
    @Test
    void connections_areAsManyAsConfiguredAndIdle() throws Exception {
        Map<String, Integer> figures = server.server().connections();
        assertThat(figures).containsEntry("most", 3).containsEntry("waiting", 0).containsKeys("active", "idle");
        assertThat(rows("select count(*) <= 3 from pg_stat_activity where application_name = 'semel'"
                        + " and datname = current_database()"))
                .containsExactly("t");
        assertThat(rows("select state from pg_stat_activity where application_name = 'semel'"
                        + " and datname = current_database() and state <> 'idle'"))
                .isEmpty();
    }
}
