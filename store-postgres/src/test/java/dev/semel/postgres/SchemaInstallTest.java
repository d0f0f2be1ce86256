package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Outcome;
import dev.semel.store.DocumentId;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Installation of the tables, and the errors if they cannot be installed. */
class SchemaInstallTest {

    private static final PostgresSettings DEFAULTS = PostgresSettings.DEFAULTS;

    private final PGSimpleDataSource database = Postgres.NEWEST.emptyDatabase();

    private @Nullable String ask(String sql) throws SQLException {
        return Postgres.ask(database, sql);
    }

    private @Nullable String schemaOf(String table) throws SQLException {
        return ask(
                "select string_agg(relnamespace::regnamespace::text, ' ' order by relnamespace) from pg_class where relname = '"
                        + table + "'");
    }

    private void assertUnusable(PGSimpleDataSource source, PostgresSettings settings, String reason) {
        assertThatThrownBy(() -> PostgresStore.open(source, settings))
                .isInstanceOf(StoreException.class)
                .matches(e -> ((StoreException) e).isCertain())
                .hasMessage("The database cannot be used. " + reason);
    }

    /** Creates a login with some rights only. */
    private PGSimpleDataSource login(String name, String... grants) throws SQLException {
        Postgres.execute(
                database,
                "do $$ begin if not exists (select from pg_roles where rolname = '" + name + "') then create role "
                        + name + " login; end if; end $$");
        for (String grant : grants) {
            Postgres.execute(
                    database, grant.replace("DATABASE", "database " + database.getDatabaseName()) + " " + name);
        }
        PGSimpleDataSource source = Postgres.NEWEST.source(String.valueOf(database.getDatabaseName()));
        source.setUser(name);
        return source;
    }

    private static void use(PostgresStore store) {
        assertThat(store.commit(Stored.commit(
                        "a", Stored.key("ann", "k"), new DocumentId("things", "", "d"), IndexEntry.inCommitOrder(""))))
                .isInstanceOf(CommitResult.Applied.class);
        assertThat(store.read(new DocumentId("things", "", "d"))).isPresent();
        assertThat(store.find(Stored.key("ann", "k")).record()).isNotNull();
        new Sweeper(store.admin(), Time.system()).sweep();
    }

    @Test
    void tables_areInASchemaOfTheirOwn_besideAnApplications() throws SQLException {
        Postgres.execute(
                database,
                "create table documents (id int); insert into documents values (1); create table payments ()");
        for (int opened = 0; opened < 2; opened++) {
            PostgresStore.open(database, DEFAULTS).close();
        }
        try (PostgresStore store = PostgresStore.open(database, DEFAULTS)) {
            use(store);
        }
        assertThat(ask("select count(*) from public.documents")).isEqualTo("1");
        assertThat(ask("select count(*) from semel.documents")).isEqualTo("1");
        assertThat(ask("select string_agg(relname, ' ' order by relname) from pg_class where relkind in ('r', 'v', 'S')"
                        + " and relnamespace = 'public'::regnamespace"))
                .isEqualTo("documents payments");
    }

    @Test
    void schema_isTheOneThatIsNamed() throws SQLException {
        Postgres.execute(database, "create schema semel; create table semel.idempotency_records (id int)");
        for (String schema : List.of("elsewhere", "order", "public")) {
            try (PostgresStore store = PostgresStore.open(database, DEFAULTS.withSchema(schema))) {
                use(store);
            }
            try (PostgresStore store =
                    PostgresStore.open(database, DEFAULTS.withSchema(schema).withoutMigration())) {
                assertThat(store.find(Stored.key("ann", "k")).record()).isNotNull();
            }
            assertThat(ask("select count(*) from \"" + schema + "\".idempotency_keys"))
                    .isEqualTo("1");
        }
        for (String schema : List.of(
                "", "Semel", "a b", "a\"b", "1a", "pg_toast", "pg_catalog", "information_schema", "a".repeat(64))) {
            assertThatThrownBy(() -> DEFAULTS.withSchema(schema)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** The search path finds tables of the same names in another schema, or none. */
    @Test
    void searchPathOfTheConnections_doesNotMatter() throws SQLException {
        Postgres.execute(
                database,
                "create schema misleading; create table misleading.idempotency_records (id int);"
                        + " create table misleading.documents (id int);");
        for (String path : List.of("misleading", "nowhere")) {
            PGSimpleDataSource source = CallerTransactionsFixture.like(database);
            source.setOptions("-c search_path=" + path);
            try (PostgresStore store = PostgresStore.open(source, DEFAULTS)) {
                use(store);
                Call call = Call.of(Stored.key("ann", path), Fingerprint.ofJson("1"));
                for (Class<?> outcome : List.of(Outcome.Executed.class, Outcome.Replayed.class)) {
                    assertThat(CallerTransactions.on(store).run(call, connection -> {
                                try (Statement statement = connection.createStatement();
                                        ResultSet shown = statement.executeQuery("show search_path")) {
                                    shown.next();
                                    return Response.of(shown.getString(1));
                                }
                            }))
                            .isInstanceOf(outcome)
                            .extracting(Outcome::orElseThrow)
                            .isEqualTo(Response.of(path));
                }
                store.admin().list(KeyQuery.all(10));
                store.admin().erase("ann", true);
            }
            Postgres.execute(database, "delete from documents; delete from index_entries");
        }
    }

    @Test
    void idempotencyRecords_areInstalledWithoutDocuments_andDocumentsLater() throws SQLException {
        try (PostgresOnceStore store = PostgresOnceStore.open(database, DEFAULTS)) {
            assertThat(store).isNotInstanceOf(DocumentStore.class);
            assertThat(schemaOf("idempotency_records")).isEqualTo("semel");
            assertThat(schemaOf("documents")).isNull();
            Postgres.execute(database, "create table payments (key text)");
            Call call = Call.of(Stored.key("ann", "leased"), Fingerprint.ofJson("1"));
            for (Class<?> outcome : List.of(Outcome.Executed.class, Outcome.Replayed.class)) {
                assertThat(Once.on(store).leased(call, IfAbandoned.RERUN, lease -> Response.of("done")))
                        .isInstanceOf(outcome);
            }
            assertThat(CallerTransactions.on(store)
                            .run(Call.of(Stored.key("ann", "paid"), Fingerprint.ofJson("1")), connection -> {
                                connection.createStatement().execute("insert into payments values ('paid')");
                                return Response.of("paid");
                            }))
                    .isInstanceOf(Outcome.Executed.class);
            assertThatThrownBy(() -> Once.on(store).atomic(call, tx -> Response.of("no")))
                    .hasMessageContaining("The store has no documents");
            assertThat(store.admin().list(KeyQuery.all(10)).records()).hasSize(2);
            assertThat(new Sweeper(store.admin(), Time.system()).sweep())
                    .extracting(StoreAdmin.Cleanup::table)
                    .containsExactly("idempotency_keys", "tombstones");
            assertThat(store.admin().erase("ann", true)).containsEntry("idempotency_keys", 2L);
        }
        assertUnusable(
                database,
                DEFAULTS.withoutMigration(),
                "Its schema semel lacks tables of Semel, and migration is turned off:"
                        + " let the owner of the database install them");
        try (PostgresStore store = PostgresStore.open(database, DEFAULTS)) {
            use(store);
        }
        PostgresOnceStore.open(database, DEFAULTS.withoutMigration()).close();
        assertThat(ask("select string_agg(part || ' ' || version, ', ' order by part) from semel_schema_version"))
                .isEqualTo("documents 1, idempotency_records 1");
    }

    @Test
    void manyServersThatStartAtOnce_installOnce() throws Exception {
        CyclicBarrier together = new CyclicBarrier(4);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> servers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                servers.add(threads.submit(() -> {
                    together.await();
                    PostgresStore.open(database, DEFAULTS).close();
                    return null;
                }));
            }
            for (Future<?> server : servers) {
                server.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(ask("select count(*) from semel_schema_version")).isEqualTo("2");
    }

    @Test
    void newerTables_areRejected_whetherTheyAreMigratedOrNot() throws SQLException {
        PostgresStore.open(database, DEFAULTS).close();
        Postgres.execute(database, "update semel_schema_version set version = 7 where part = 'idempotency_records'");
        for (PostgresSettings settings : List.of(DEFAULTS, DEFAULTS.withoutMigration())) {
            assertUnusable(
                    database,
                    settings,
                    "Its schema semel has version 7 of the idempotency records, and this release knows version 1:"
                            + " use a newer release");
        }
    }

    @Test
    void scripts_mayBeRunByHand() throws SQLException, IOException {
        Postgres.execute(database, "create schema shop");
        for (String script : List.of("V1__idempotency_records.sql", "V1__documents.sql")) {
            try (InputStream sql = SchemaInstallTest.class.getResourceAsStream(script)) {
                Postgres.execute(
                        database, "set search_path to shop; " + new String(sql.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        try (PostgresStore store =
                PostgresStore.open(database, DEFAULTS.withSchema("shop").withoutMigration())) {
            use(store);
        }
    }

    @Test
    void settingsOfTheConnection_areLeftAsTheyWere() throws SQLException {
        try (Pool pool = new Pool(database)) {
            pool.getConnection().close();
            String state = "select current_user || current_setting('role') || current_setting('search_path')";
            String before = String.valueOf(Postgres.ask(database, state));
            PostgresStore.open(pool, DEFAULTS).close();
            try (var connection = pool.getConnection();
                    var row = connection.createStatement().executeQuery(state)) {
                assertThat(connection.getAutoCommit()).isTrue();
                row.next();
                assertThat(row.getString(1)).isEqualTo(before.replace("public, semel", "\"$user\", public"));
            }
        }
    }

    @Test
    void missingRightToCreateTheSchema_isNamed() throws SQLException {
        PGSimpleDataSource guest = login("guest_nobody", "grant semel_app, semel_service to");
        String name = database.getDatabaseName();
        assertUnusable(
                guest,
                DEFAULTS,
                "guest_nobody may not create the schema semel: grant create on database " + name
                        + " to guest_nobody, or create schema semel authorization guest_nobody");
        Postgres.execute(database, "create schema semel");
        assertUnusable(
                guest,
                DEFAULTS,
                "guest_nobody may not create tables in the schema semel: grant create on schema semel to guest_nobody,"
                        + " or let its owner install them");
        Postgres.execute(database, "drop schema semel; grant create on database " + name + " to guest_nobody");
        try (PostgresStore store = PostgresStore.open(guest, DEFAULTS)) {
            use(store);
        }
    }

    @Test
    void loginThatOwnsNothing_opensTablesThatAreUpToDate() throws SQLException {
        PostgresStore.open(database, DEFAULTS).close();
        PGSimpleDataSource server = login("guest_server", "grant semel_app, semel_service to");
        try (PostgresStore store = PostgresStore.open(server, DEFAULTS)) {
            use(store);
        }
    }

    @Test
    void nameThatIsTaken_isNamed() throws SQLException {
        String advice = ". Rename it, or choose another schema";
        Postgres.execute(database, "create schema semel; create table semel.documents (id int)");
        assertUnusable(
                database,
                DEFAULTS,
                "Its schema semel contains something else under a name that Semel uses: relation \"documents\" already exists"
                        + advice);
        Postgres.execute(
                database, "drop table semel.documents; create function semel.json_or_null(bytea) returns int return 1");
        assertUnusable(
                database,
                DEFAULTS,
                "Its schema semel contains something else under a name that Semel uses:"
                        + " function \"json_or_null\" already exists with same argument types" + advice);
        Postgres.execute(
                database, "drop function semel.json_or_null; create table semel.semel_schema_version (id int)");
        assertUnusable(
                database,
                DEFAULTS,
                "The table semel_schema_version in its schema semel was not installed by Semel: it lacks the columns part text"
                        + " and version integer" + advice);
        Postgres.execute(
                database,
                "drop table semel.semel_schema_version; create table semel.semel_schema_version (part text,"
                        + " version integer)");
        assertUnusable(
                database,
                DEFAULTS,
                "The table semel_schema_version in its schema semel cannot be read as semel_app,"
                        + " so it was not installed by Semel: permission denied for schema semel" + advice);
        assertThat(ask("select count(*) from pg_class where relnamespace = 'semel'::regnamespace"))
                .as("nothing was installed")
                .isEqualTo("1");
    }

    @Test
    void tableThatWasDropped_isNamed() throws SQLException {
        PostgresStore.open(database, DEFAULTS).close();
        Postgres.execute(database, "drop table semel.index_entries, semel.commit_log");
        for (PostgresSettings settings : List.of(DEFAULTS, DEFAULTS.withoutMigration())) {
            assertUnusable(
                    database,
                    settings,
                    "Its schema semel lacks index_entries, commit_log, although its table semel_schema_version lists the"
                            + " documents as installed: restore the schema from a backup, or choose another one");
        }
        PostgresOnceStore.open(database, DEFAULTS).close();
        Postgres.execute(database, "drop table semel.idempotency_records cascade");
        assertThatThrownBy(() -> PostgresOnceStore.open(database, DEFAULTS))
                .hasMessageContaining("lacks idempotency_records, idempotency_keys, although")
                .hasMessageContaining("lists the idempotency records as installed");
    }

    @Test
    void documents_areInstalledLaterByAnotherLogin_ifItMay() throws SQLException {
        PGSimpleDataSource first =
                login("first_owner", "grant semel_app, semel_service to", "grant create on DATABASE to");
        PGSimpleDataSource second = login("second_owner", "grant semel_app, semel_service to");
        PostgresOnceStore.open(first, DEFAULTS).close();
        PostgresOnceStore.open(second, DEFAULTS).close();
        Postgres.execute(database, "grant create on schema semel to second_owner");
        assertUnusable(
                second,
                DEFAULTS,
                "second_owner may not install the missing tables in the schema semel, because first_owner owns its other"
                        + " tables: log in as first_owner, or grant first_owner to second_owner");
        Postgres.execute(database, "grant first_owner to second_owner");
        try (PostgresStore store = PostgresStore.open(second, DEFAULTS)) {
            use(store);
        }
        try (PostgresStore store = PostgresStore.open(first, DEFAULTS.withoutMigration())) {
            assertThat(store.find(Stored.key("ann", "k")).record()).isNotNull();
        }
        Postgres.execute(database, "revoke first_owner from second_owner");
    }

    /** The timeouts are shorter than the installation. */
    @Test
    void timeoutsOfTheLogin_doNotEndTheInstallation() throws SQLException {
        PGSimpleDataSource hasty =
                login("hasty_owner", "grant semel_app, semel_service to", "grant create on DATABASE to");
        for (String timeout : List.of("idle_in_transaction_session_timeout", "statement_timeout")) {
            Postgres.execute(
                    database,
                    "alter role hasty_owner in database " + database.getDatabaseName() + " set " + timeout + " to "
                            + (timeout.startsWith("s") ? "20" : "1"));
        }
        try (Pool pool = new Pool(hasty)) {
            PostgresOnceStore.open(pool, DEFAULTS).close();
            try (PostgresStore store = PostgresStore.open(pool, DEFAULTS)) {
                use(store);
            }
            assertThat(pool.mostLent()).as("a pool of one connection is enough").isEqualTo(1);
        }
    }

    @Test
    void roleThatTheLoginMayNotActAs_isNamed() throws SQLException {
        PostgresStore.open(database, DEFAULTS).close();
        PGSimpleDataSource half = login("guest_half", "grant semel_app to");
        for (PostgresSettings settings : List.of(DEFAULTS, DEFAULTS.withoutMigration())) {
            assertUnusable(
                    half,
                    settings,
                    "guest_half may not act as the role semel_service: grant semel_service to guest_half");
        }
    }

    /** On a separate server, because roles belong to the whole cluster. */
    @Test
    void missingRole_isCreatedWhereTheLoginMay_andElseNamed() throws Exception {
        try (var server = EmbeddedPostgres.start()) {
            PGSimpleDataSource root = (PGSimpleDataSource) server.getPostgresDatabase();
            Postgres.execute(
                    root,
                    "create role plain login; create role maker login createrole;"
                            + " grant create on database postgres to plain, maker");
            PGSimpleDataSource plain = CallerTransactionsFixture.like(root);
            plain.setUser("plain");
            Postgres.execute(root, "create table public.semel_schema_version (version text)");
            assertUnusable(
                    root,
                    DEFAULTS.withSchema("public"),
                    "The table semel_schema_version in its schema public was not installed by Semel: it lacks the columns"
                            + " part text and version integer. Rename it, or choose another schema");
            assertUnusable(
                    plain,
                    DEFAULTS,
                    "The role semel_app is missing, and plain may not create it: create role semel_app nologin,"
                            + " and grant semel_app to plain");
            PGSimpleDataSource maker = CallerTransactionsFixture.like(root);
            maker.setUser("maker");
            try (PostgresStore store = PostgresStore.open(maker, DEFAULTS)) {
                use(store);
            }
        }
    }

    @Test
    void databaseThatIsNotPostgres_isRejected() throws SQLException {
        Postgres.execute(
                database,
                "create schema other; create function other.version() returns text language sql as"
                        + " $$ select 'CockroachDB CCL v25.1.0 (x86_64-pc-linux-gnu)' $$;"
                        + " alter database " + database.getDatabaseName() + " set search_path to other, pg_catalog");
        assertUnusable(
                database,
                DEFAULTS,
                "It is not PostgreSQL but CockroachDB, which may ignore advisory locks, on which commits rely");
    }

    @Test
    void serverThatIsTooOld_isRejected() {
        assertThatThrownBy(() -> Schema.checkServer("PostgreSQL 15.4 on x86_64", 150_004, "15.4", "UTF8"))
                .hasMessage("The database cannot be used. It is PostgreSQL 15.4, and has to be 16 or later");
    }
}
