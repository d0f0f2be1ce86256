package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.testkit.StoreFixture;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rows that a session with the role of the server can read and change. */
class RowLevelSecurityTest {

    private static final List<String> TABLES = List.of("idempotency_records", "documents", "index_entries");

    private final DataSource source = Postgres.NEWEST.usedDatabase();
    private Connection hostile;

    RowLevelSecurityTest() throws SQLException {
        hostile = source.getConnection();
        execute("set search_path to public, semel");
    }

    @BeforeEach
    void storeRowsOfTwoUsers() throws SQLException {
        try (PostgresStore store = PostgresStore.open(source, PostgresSettings.DEFAULTS.withoutMigration())) {
            for (String user : List.of("ann", "bob")) {
                store.commit(Stored.commit(
                        "by-" + user,
                        Stored.key(user, "k"),
                        new DocumentId("notes", user, "note-of-" + user),
                        new IndexEntry("by-date", "d-" + user)));
            }
            store.commit(Stored.write("by-all", new DocumentId("feed", "", "post"), null, new IndexEntry("f", "p")));
        }
        execute("create or replace view everything as select user_id, status from idempotency_keys");
        execute(
                "create or replace view as_invoker with (security_invoker = true) as select user_id, status from idempotency_keys");
        execute(
                "create or replace function count_keys() returns bigint language sql as 'select count(*) from idempotency_keys'");
        execute("grant select on as_invoker to semel_app; grant usage on schema public to semel_app");
        hostile.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        hostile.rollback();
        hostile.close();
        Postgres.NEWEST.giveBack(source);
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = hostile.createStatement()) {
            statement.execute(sql);
        }
    }

    private int update(String sql) throws SQLException {
        try (Statement statement = hostile.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private String ask(String sql) throws SQLException {
        try (Statement statement = hostile.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private void actFor(String users) throws SQLException {
        execute("select set_config('role', 'semel_app', true), set_config('semel.user', '" + users + "', true)");
    }

    private void actForNobody() throws SQLException {
        execute("select set_config('role', 'semel_app', true)");
    }

    @Test
    void forOneUser_onlyTheirRowsAndThoseOfAll_areSeen() throws SQLException {
        actFor("ann");
        assertThat(ask("select string_agg(user_id, ',') from idempotency_keys")).isEqualTo("ann");
        assertThat(ask("select string_agg(owner || ':' || key, ',' order by owner) from documents"))
                .isEqualTo(":post,ann:note-of-ann");
        assertThat(ask("select string_agg(owner || ':' || index_key, ',' order by owner) from index_entries"))
                .isEqualTo(":p,ann:d-ann");
        assertThat(ask("select string_agg(user_id, ',') from idempotency_records"))
                .isEqualTo("ann");
    }

    @Test
    void forSeveralUsers_theirRowsAreSeen() throws SQLException {
        actFor("ann\u001fbob");
        assertThat(ask("select count(*) from idempotency_keys")).isEqualTo("2");
        assertThat(ask("select count(*) from documents where owner <> ''")).isEqualTo("2");
    }

    /** A comma is a character of a name. */
    @Test
    void forAUserWhoseNameHasAComma_rowsOfThoseItSeemsToName_areNeitherSeenNorChanged() throws SQLException {
        execute(
                "insert into idempotency_records (id, idempotency_key, client_tx_id, user_id, endpoint, payload_hash, status,"
                        + " created_at, attempts, commit_id, fencing_token)"
                        + " select gen_random_uuid(), 'k', 't', 'ann,bob', 'e', '', 3, now(), 1, 'c', 1");
        hostile.commit();
        actFor("ann,bob");
        for (String table : List.of("idempotency_keys", "idempotency_records")) {
            assertThat(ask("select string_agg(user_id, ' ') from " + table)).isEqualTo("ann,bob");
        }
        assertThat(ask("select count(*) from documents where owner <> ''")).isEqualTo("0");
        assertThat(ask("select count(*) from index_entries where owner <> ''")).isEqualTo("0");
        assertThat(update("delete from idempotency_records")).isEqualTo(1);
        hostile.commit();
        assertThat(ask("select string_agg(user_id, ' ' order by user_id) from idempotency_keys"))
                .isEqualTo("ann bob");
        assertThat(Session.users(List.of("ann,bob", "cid"))).isEqualTo("ann,bob\u001fcid");
    }

    @Test
    void forAUserWithAnyName_onlyTheirRowsAreSeenAndChanged() throws SQLException {
        List<String> users = StoreFixture.USERS.stream()
                .filter(user -> !List.of("ann", "bob").contains(user))
                .toList();
        try (PostgresStore store = PostgresStore.open(source, PostgresSettings.DEFAULTS.withoutMigration())) {
            for (String user : users) {
                store.commit(Stored.commit(
                        "by " + user,
                        Stored.key(user, "k"),
                        new DocumentId("notes", user, "note"),
                        new IndexEntry("by-date", "d")));
            }
        }
        for (String user : users) {
            actFor(user.replace("'", "''"));
            assertThat(ask("select string_agg(user_id, ' ') from idempotency_keys"))
                    .isEqualTo(user);
            assertThat(ask("select string_agg(user_id, ' ') from idempotency_records"))
                    .isEqualTo(user);
            assertThat(ask("select string_agg(owner, ' ') from documents where owner <> ''"))
                    .isEqualTo(user);
            assertThat(ask("select string_agg(owner, ' ') from index_entries where owner <> ''"))
                    .isEqualTo(user);
            assertThat(update("delete from idempotency_records")).isEqualTo(1);
            hostile.commit();
        }
        assertThat(ask("select string_agg(user_id, ' ' order by user_id) from idempotency_keys"))
                .isEqualTo("ann bob");
    }

    @Test
    void forNobody_noKeyIsSeen() throws SQLException {
        actForNobody();
        assertThat(ask("select count(*) from idempotency_keys")).isEqualTo("0");
        assertThat(ask("select count(*) from documents where owner <> ''")).isEqualTo("0");
        assertThat(ask("select count(*) from idempotency_records")).isEqualTo("0");
        execute("select set_config('semel.user', '', true)");
        assertThat(ask("select count(*) from idempotency_keys")).isEqualTo("0");
    }

    @Test
    void afterACommit_nothingIsLeftOfTheUser() throws SQLException {
        actFor("bob");
        hostile.commit();
        assertThat(ask("select coalesce(current_setting('semel.user', true), '')"))
                .isEmpty();
        actForNobody();
        assertThat(ask("select count(*) from idempotency_keys")).isEqualTo("0");
    }

    @Test
    void throughAViewAFunctionOrASubselect_anotherUsersRows_areNotSeen() throws SQLException {
        actFor("ann");
        assertThat(ask("select string_agg(user_id, ',') from as_invoker")).isEqualTo("ann");
        assertThat(ask("select count_keys()")).isEqualTo("1");
        assertThat(ask("select (select count(*) from idempotency_keys k where k.user_id = 'bob')"))
                .isEqualTo("0");
        assertThat(
                        ask(
                                "select count(*) from documents d where exists (select from idempotency_keys k where k.user_id = 'bob')"))
                .isEqualTo("0");
        assertThat(ask("select count(*) from (values (1)) v left join idempotency_keys k on k.user_id = 'bob'"
                        + " where k.user_id is not null"))
                .isEqualTo("0");
    }

    @Test
    void viewOfTheOwner_isNotGranted() throws SQLException {
        actFor("ann");
        assertThatThrownBy(() -> ask("select count(*) from everything")).hasMessageContaining("permission denied");
    }

    @Test
    void conditionThatLeaksWhatItSees_isNotShownAnotherUsersRows() throws SQLException {
        execute("create or replace function leak(seen text) returns boolean language plpgsql cost 0.0000001 as"
                + " 'begin if seen = ''bob'' then raise exception ''seen''; end if; return true; end'");
        actFor("ann");
        assertThat(ask("select count(*) from idempotency_keys where leak(user_id)"))
                .isEqualTo("1");
    }

    @Test
    void anotherUsersRows_areNotChanged() throws SQLException {
        actFor("ann");
        for (String table : TABLES) {
            String owner = table.equals("idempotency_records") ? "user_id" : "owner";
            assertThat(update("delete from " + table + " where " + owner + " = 'bob'"))
                    .isZero();
            assertThat(update("update " + table + " set " + owner + " = 'ann' where " + owner + " = 'bob'"))
                    .isZero();
        }
        assertThat(update("update idempotency_records set status = 3")).isEqualTo(1);
        assertThat(update("update idempotency_keys set user_id = 'ann' where user_id = 'bob'"))
                .isZero();
        assertThat(update("delete from idempotency_keys")).isEqualTo(1);
        hostile.commit();
        assertThat(ask("select string_agg(user_id || status, ',') from idempotency_keys"))
                .isEqualTo("bobcompleted");
    }

    @Test
    void rowsForAnotherUser_cannotBeMade() throws SQLException {
        for (String sql : List.of(
                "update idempotency_keys set user_id = 'bob'",
                "update idempotency_records set user_id = 'bob'",
                "update documents set owner = 'bob' where owner = 'ann'",
                "insert into documents (collection, owner, key, version, created_at, updated_at, commit_id, data)"
                        + " values ('notes', 'bob', 'x', 1, now(), now(), 'x', '1')",
                "insert into index_entries values ('notes', 'bob', 'n', 'x', 'x')",
                "insert into documents as d (collection, owner, key, version, created_at, updated_at, commit_id, data)"
                        + " values ('notes', 'bob', 'note-of-bob', 1, now(), now(), 'x', '1')"
                        + " on conflict (collection, owner, key) do update set data = '2'")) {
            actFor("ann");
            assertThatThrownBy(() -> update(sql)).as(sql).hasMessageContaining("row-level security");
            hostile.rollback();
        }
    }

    @Test
    void tablesThatAreNoUsersBusiness_areOutOfReach() throws SQLException {
        for (String sql : List.of(
                "select count(*) from cleanup_logs",
                "alter table idempotency_records disable row level security",
                "drop policy own_rows on idempotency_records",
                "truncate idempotency_records",
                "update semel_schema_version set version = 0",
                "select cleanup_expired_idempotency_keys()",
                "select sweep_idempotency_records('-infinity', 'infinity', 10)",
                "delete from commit_log")) {
            actFor("ann");
            assertThatThrownBy(() -> execute(sql)).as(sql).isInstanceOf(SQLException.class);
            hostile.rollback();
        }
    }

    @Test
    void service_seesAll() throws SQLException {
        execute("select set_config('role', 'semel_service', true)");
        assertThat(ask("select count(*) from idempotency_keys")).isEqualTo("2");
    }
}
