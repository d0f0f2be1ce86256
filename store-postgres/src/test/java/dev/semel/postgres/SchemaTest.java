package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class SchemaTest {

    private static List<String> all(DataSource source, String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        }
        return values;
    }

    private static List<String> columns(DataSource source, String table) throws SQLException {
        return all(
                source,
                "select column_name from information_schema.columns where table_name = '" + table
                        + "' and table_schema = current_schema() order by ordinal_position");
    }

    @Test
    void tables_haveTheColumnsThatAreWrittenDown() throws SQLException {
        DataSource source = Postgres.NEWEST.template();
        assertThat(columns(source, "idempotency_keys"))
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
                        "expires_at",
                        "fence",
                        "attempts",
                        "lease_until",
                        "if_abandoned");
        assertThat(columns(source, "cleanup_logs")).containsExactly("table_name", "deleted_count", "cleanup_time");
        assertThat(columns(source, "game_settlements"))
                .containsExactly(
                        "id", "settlement_id", "table_id", "tournament_id", "hand_id", "payload", "created_at");
    }

    @Test
    void keys_sortByBytes() throws SQLException {
        assertThat(all(
                        Postgres.NEWEST.template(),
                        "select table_name || '.' || column_name from information_schema.columns"
                                + " where table_name in ('idempotency_keys', 'documents', 'further_keys', 'receipts', 'earlier_starts')"
                                + " and data_type = 'text' and column_name <> 'data'"
                                + " and collation_name is distinct from 'C'"))
                .isEmpty();
    }

    @Test
    void rolesAndRowLevelSecurity_areThere() throws SQLException {
        DataSource source = Postgres.NEWEST.template();
        assertThat(all(
                        source,
                        "select rolname from pg_roles where rolname like 'semel%' and not rolcanlogin order by 1"))
                .containsExactly("semel_app", "semel_service");
        assertThat(
                        all(
                                source,
                                "select relname from pg_class where relrowsecurity and not relforcerowsecurity order by relname"))
                .containsExactly("documents", "earlier_starts", "further_keys", "idempotency_keys");
        assertThat(
                        all(
                                source,
                                "select relname from pg_class where relkind = 'v' and relnamespace ="
                                        + " current_schema()::regnamespace and reloptions::text ~ 'security_invoker=true' order by relname"))
                .containsExactly("game_settlements", "semel_starts");
    }

    /** Without one, rows of a table that is published to other databases cannot be removed. */
    @Test
    void tablesFromWhichRowsGo_haveAPrimaryKey() throws SQLException {
        DataSource source = Postgres.NEWEST.template();
        assertThat(
                        all(
                                source,
                                "select relname from pg_class c where relkind = 'r' and relnamespace = current_schema()::regnamespace"
                                        + " and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)"))
                .containsExactly("cleanup_logs");
    }

    @Test
    void settlements_areFoundByTableAndTime_throughAnIndex() throws SQLException {
        DataSource source = Postgres.NEWEST.database();
        Postgres.execute(
                source,
                "insert into documents (collection, owner, key, version, created_at, updated_at, written_by, data)"
                        + " select 'tables/settlements', '', 't' || n % 50 || ':h' || n, 1, now() + n * interval '1 second', now(),"
                        + " 'a', '{\"mismatches\":0,\"payload\":{\"tournamentId\":\"cup\",\"pot\":' || n || '}}'"
                        + " from generate_series(1, 5000) n; analyze documents");
        String query = "from game_settlements where table_id = 't7' and created_at > now() order by created_at";
        assertThat(String.join("\n", all(source, "explain select * " + query))).contains("documents_settlements");
        assertThat(all(source, "select payload ->> 'pot' " + query + " limit 2"))
                .containsExactly("7", "57");
        assertThat(all(
                        source,
                        "select concat_ws(' ', settlement_id, table_id, hand_id, tournament_id) " + query + " limit 1"))
                .containsExactly("t7:h7 t7 h7 cup");
        assertThat(Postgres.ask(source, "select count(distinct id) = count(*) from game_settlements"))
                .isEqualTo("t");
    }

    @Test
    void settlementThatJsonbCannotHold_isShownWithoutItsPayload() throws SQLException {
        DataSource source = Postgres.NEWEST.database();
        Postgres.execute(
                source,
                "insert into documents (collection, owner, key, version, created_at, updated_at, written_by, data) values"
                        + " ('tables/settlements', '', 't:h', 1, now(), now(), 'a', '{\"payload\":\"\\u0000\"}')");
        assertThat(Postgres.ask(source, "select settlement_id from game_settlements where payload is null"))
                .isEqualTo("t:h");
    }

    @Test
    void places_areSpelledAsInMemory() throws SQLException {
        DataSource source = Postgres.NEWEST.template();
        for (long place : new long[] {1, 35, 36, 123_456_789, Long.MAX_VALUE}) {
            String text = Postgres.ask(source, "select semel_place_text(" + place + ")");
            assertThat(text)
                    .isEqualTo(dev.semel.store.FurtherKey.placed("").at(place).key());
        }
    }

    @Test
    void manyServersThatStartAtOnce_makeTheTablesOnce() throws Exception {
        DataSource source = Postgres.NEWEST.emptyDatabase();
        CyclicBarrier together = new CyclicBarrier(4);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> servers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                servers.add(threads.submit(() -> {
                    together.await();
                    PostgresStore.open(source, PostgresSettings.DEFAULTS).close();
                    return null;
                }));
            }
            for (Future<?> server : servers) {
                server.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(all(source, "select version from semel_schema_history where success"))
                .containsExactlyInAnyOrder("1", "2", "3", "4", "5");
    }

    @Test
    void databaseOfAnApplication_keepsItsTables() throws SQLException {
        DataSource source = Postgres.NEWEST.emptyDatabase();
        Postgres.execute(source, "create table payments (id int); insert into payments values (1)");
        PostgresStore.open(source, PostgresSettings.DEFAULTS).close();
        PostgresStore.open(source, PostgresSettings.DEFAULTS).close();
        assertThat(Postgres.ask(source, "select count(*) from payments")).isEqualTo("1");
    }

    @Test
    void newerTables_areRefused() throws SQLException {
        DataSource source = Postgres.NEWEST.database();
        Postgres.execute(
                source,
                "insert into semel_schema_history (installed_rank, version, description, type, script, installed_by,"
                        + " execution_time, success) values (9, '7', 'later', 'SQL', 'V7__later.sql', 'x', 1, true)");
        assertThatThrownBy(() -> PostgresStore.open(source, PostgresSettings.DEFAULTS))
                .isInstanceOf(StoreException.class)
                .hasMessage("The database's tables are of version 7, this release knows them up to 5: use a newer one");
    }

    @Test
    void migrations_mayBeRunByHand_inAnySchema() throws SQLException, IOException {
        DataSource source = Postgres.NEWEST.emptyDatabase();
        Postgres.execute(
                source,
                "create schema elsewhere; alter database " + Postgres.ask(source, "select current_database()")
                        + " set search_path to elsewhere, public");
        for (String migration :
                List.of("V1__semel.sql", "V2__housekeeping.sql", "V3__fewer_checks.sql", "V4__earlier_starts.sql")) {
            runByHand(source, migration);
        }
        assertThat(columns(source, "idempotency_keys")).isNotEmpty();
        PostgresStore.open(source, PostgresSettings.DEFAULTS.withoutMigration()).close();
    }

    private static void runByHand(DataSource source, String migration) throws SQLException, IOException {
        try (InputStream sql = SchemaTest.class.getResourceAsStream("migrations/" + migration)) {
            Postgres.execute(source, new String(sql.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void keysOfTheFirstTables_areRememberedAsNewOnesAre() throws SQLException, IOException {
        DataSource source = Postgres.NEWEST.emptyDatabase();
        runByHand(source, "V1__semel.sql");
        String ends = "timestamptz '2026-01-07 12:00Z'";
        Postgres.execute(
                source,
                "insert into idempotency_keys (id, idempotency_key, client_tx_id, user_id, endpoint, payload_hash, status,"
                        + " created_at, expires_at, lease_until, attempts, attempt_id, fence)"
                        + " select gen_random_uuid(), s, s, 'ann', 'POST /payments', '', s, " + ends
                        + " - interval '1 hour',"
                        + " case when s in ('completed', 'failed') then " + ends + " end,"
                        + " case when s = 'processing' then " + ends + " end, 1, s, 1"
                        + " from unnest(array['processing', 'completed', 'failed', 'unknown']) s");
        runByHand(source, "V2__housekeeping.sql");
        assertThat(all(
                        source,
                        "select concat_ws(' ', status, forgotten_at - " + ends
                                + ") from idempotency_keys order by status"))
                .containsExactly("completed 30 days", "failed 30 days", "processing 1 day", "unknown");
    }

    @Test
    void databaseWithoutTables_isToldApart() throws SQLException {
        DataSource source = Postgres.NEWEST.emptyDatabase();
        assertThatThrownBy(() -> PostgresStore.open(source, PostgresSettings.DEFAULTS.withoutMigration()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("idempotency_keys");
    }
}
