package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.key.KeyRange;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.DocumentId;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore.Scan;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The store takes a connection for each transaction, relies on no setting of it, and leaves none on it. */
@Tag("jdk")
class ConnectionsTest {

    private final DataSource database = Postgres.NEWEST.usedDatabase();

    /** Uses every function of a store, and checks the results. */
    private static void use(DataSource source) {
        try (PostgresStore store = PostgresStore.open(source, PostgresSettings.DEFAULTS.withoutMigration())) {
            Once once = new Once(store, Time.system(), OnceSettings.DEFAULTS, OnceListener.NONE);
            for (int i = 0; i < 12; i++) { // until the driver has prepared the statements
                Call call = Call.of(Stored.key("ann", "k" + i), Fingerprint.ofJson("1"));
                assertThat(once.leased(call, IfAbandoned.RERUN, lease -> Response.of("done")))
                        .isInstanceOf(Outcome.Executed.class);
                assertThat(once.leased(call, IfAbandoned.RERUN, lease -> Response.of("again")))
                        .isInstanceOf(Outcome.Replayed.class);
                DocumentId id = new DocumentId("things", i % 2 == 0 ? "" : "bob", "d" + i);
                assertThat(store.commit(
                                Stored.commit("a" + i, Stored.key("bob", "k" + i), id, IndexEntry.inCommitOrder(""))))
                        .isInstanceOf(CommitResult.Applied.class);
                assertThat(store.read(id)).isPresent();
            }
            assertThat(store.scan(new Scan("things", "bob", "", KeyRange.ofPrefix("d"), "", 100)))
                    .hasSize(6);
            assertThat(store.scan(new Scan("things", "", IndexEntry.COMMIT_ORDER, KeyRange.ofPrefix(""), "", 100)))
                    .hasSize(6);
            assertThat(store.find(Stored.key("bob", "k1")).record()).isNotNull();
            new Sweeper(store.admin(), Time.system()).sweep();
            assertThat(store.admin().list(KeyQuery.all(10)).records()).isNotEmpty();
        }
    }

    @AfterEach
    void giveBack() {
        Postgres.NEWEST.giveBack(database);
    }

    @Test
    void connectionsThatForgetEverything_afterEachTransaction_areEnough() throws SQLException {
        try (Pool pool = new Pool(database, connection -> execute(connection, "discard all"))) {
            use(pool);
            assertThat(pool.lent()).isZero();
        }
    }

    @Test
    void connections_otherOnesForEachTransaction_areEnough() throws SQLException {
        Deque<Connection> turns = new ArrayDeque<>();
        for (int i = 0; i < 5; i++) {
            turns.add(database.getConnection());
        }
        try (Pool pool = new Pool(database, connection -> {}) {
            @Override
            synchronized Connection take() {
                Connection next = turns.removeFirst();
                turns.addLast(next);
                return next;
            }
        }) {
            use(pool);
            assertThat(pool.lent()).isZero();
        }
        for (Connection connection : turns) {
            connection.close();
        }
    }

    @Test
    void nothingIsLeftOnAConnection() throws SQLException {
        String settings = "select concat_ws('|', current_user, current_setting('role'),"
                + " coalesce(current_setting('semel.user', true), ''), coalesce(current_setting('semel.busy', true), ''),"
                + " current_setting('lock_timeout'), current_setting('statement_timeout'), current_setting('enable_seqscan'),"
                + " current_setting('jit'), current_setting('plan_cache_mode'),"
                + " (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()))";
        try (Connection only = database.getConnection();
                Pool pool = new Pool(database, connection -> {}) {
                    @Override
                    Connection take() {
                        return only;
                    }
                }) {
            String before = Postgres.ask(pool, settings);
            use(pool);
            assertThat(Postgres.ask(pool, settings)).isEqualTo(before);
            assertThat(only.getAutoCommit()).isTrue();
        }
    }

    @Test
    void connectionsThatDoNotCommitThemselves_areGivenBackLikeThat() throws SQLException {
        try (Connection only = database.getConnection()) {
            only.setAutoCommit(false);
            try (Pool pool = new Pool(database, connection -> {}) {
                @Override
                Connection take() {
                    return only;
                }
            }) {
                use(pool);
                assertThat(only.getAutoCommit()).isFalse();
            }
        }
        assertThat(Postgres.ask(database, "select count(*) from idempotency_keys"))
                .isEqualTo("24");
    }

    @Test
    void whoeverLogsIn_actsAsTheRole() throws SQLException {
        Postgres.execute(
                database,
                "do $$ begin if not exists (select from pg_roles where rolname = 'plain_login') then"
                        + " create role plain_login login password 'secret'; end if; end $$;"
                        + " grant semel_app, semel_service to plain_login");
        org.postgresql.ds.PGSimpleDataSource plain =
                Postgres.NEWEST.source(String.valueOf(Postgres.ask(database, "select current_database()")));
        plain.setUser("plain_login");
        plain.setPassword("secret");
        use(plain);
        assertThat(Postgres.ask(database, "select count(*) from idempotency_keys"))
                .isEqualTo("24");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
