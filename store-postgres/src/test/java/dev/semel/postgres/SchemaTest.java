package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.spi.Commit.IndexEntry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Tables, indexes, functions and rights of the schema. */
class SchemaTest {

    private static List<String> all(DataSource source, String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("set search_path to semel");
            try (ResultSet rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                    values.add(rows.getString(1));
                }
            }
        }
        return values;
    }

    private static List<String> columns(DataSource source, String table) throws SQLException {
        return all(
                source,
                "select column_name from information_schema.columns where table_name = '" + table
                        + "' and table_schema = 'semel' order by ordinal_position");
    }

    @Test
    void readableNames_haveTheColumnsThatAreWrittenDown() throws SQLException {
        DataSource source = Postgres.NEWEST.template();
        assertThat(columns(source, "idempotency_keys"))
                .startsWith(
                        "id",
                        "idempotency_key",
                        "client_tx_id",
                        "user_id",
                        "endpoint",
                        "payload_hash",
                        "response_payload",
                        "status",
                        "created_at",
                        "expires_at")
                .contains(
                        "fencing_token",
                        "attempts",
                        "lease_until",
                        "if_abandoned",
                        "commit_id",
                        "response_status",
                        "cause");
        assertThat(columns(source, "cleanup_logs")).containsExactly("table_name", "deleted_count", "cleanup_time");
        assertThat(columns(source, "game_settlements"))
                .containsExactly(
                        "id", "settlement_id", "table_id", "tournament_id", "hand_id", "payload", "created_at");
    }

    @Test
    void keys_sortByBytes() throws SQLException {
        assertThat(all(
                        Postgres.NEWEST.template(),
                        "select c.table_name || '.' || c.column_name from information_schema.columns c"
                                + " join information_schema.tables t using (table_schema, table_name)"
                                + " where c.table_schema = 'semel' and t.table_type = 'BASE TABLE' and c.table_name <> 'cleanup_logs'"
                                + " and c.data_type = 'text' and c.column_name <> 'data'"
                                + " and c.collation_name is distinct from 'C'"))
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
                .containsExactly("documents", "idempotency_records", "index_entries");
        assertThat(
                        all(
                                source,
                                "select relname from pg_class where relkind = 'v' and relnamespace ="
                                        + " 'semel'::regnamespace and reloptions::text ~ 'security_invoker=true' order by relname"))
                .containsExactly("game_settlements", "idempotency_keys");
    }

    /** Logical replication needs a primary key to delete rows. */
    @Test
    void tablesFromWhichRowsAreDeleted_haveAPrimaryKey() throws SQLException {
        DataSource source = Postgres.NEWEST.template();
        assertThat(
                        all(
                                source,
                                "select relname from pg_class c where relkind = 'r' and relnamespace = 'semel'::regnamespace"
                                        + " and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)"))
                .containsExactly("cleanup_logs");
    }

    @Test
    void functionsThatUseTables_fixTheirSearchPath() throws SQLException {
        assertThat(all(
                        Postgres.NEWEST.template(),
                        "select proname from pg_proc where pronamespace = 'semel'::regnamespace"
                                + " and proconfig::text like '%search_path%' order by 1"))
                .containsExactly("cleanup_expired_idempotency_keys", "sweep_idempotency_records");
    }

    @Test
    void settlements_areFoundByTableAndTime_throughAnIndex() throws SQLException {
        DataSource source = Postgres.NEWEST.database();
        Postgres.execute(
                source,
                "insert into documents (collection, owner, key, version, created_at, updated_at, commit_id, data)"
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
                "insert into documents (collection, owner, key, version, created_at, updated_at, commit_id, data) values"
                        + " ('tables/settlements', '', 't:h', 1, now(), now(), 'a', '{\"payload\":\"\\u0000\"}')");
        assertThat(Postgres.ask(source, "select settlement_id from game_settlements where payload is null"))
                .isEqualTo("t:h");
    }

    @Test
    void sequenceNumbers_areEncodedAsInMemory() throws SQLException {
        DataSource source = Postgres.NEWEST.template();
        for (long sequence : new long[] {1, 35, 36, 123_456_789, Long.MAX_VALUE}) {
            String text = Postgres.ask(source, "select sequence_text(" + sequence + ")");
            assertThat(text)
                    .isEqualTo(
                            IndexEntry.inCommitOrder("").withSequence(sequence).key());
        }
    }
}
