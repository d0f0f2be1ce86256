package dev.semel.outbox;

import static dev.semel.outbox.OutboxFixture.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.json.Fingerprint;
import dev.semel.memory.MemoryStore;
import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.outbox.Outbox.Query;
import dev.semel.postgres.CallerTransactions;
import dev.semel.postgres.Postgres;
import dev.semel.postgres.PostgresSettings;
import dev.semel.postgres.PostgresStore;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.testkit.ControlledTime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Entries that an application adds in its own JDBC transaction. */
class JdbcOutboxTest {

    private static final AtomicInteger OUTBOXES = new AtomicInteger();

    private static DataSource database;
    private static PostgresStore store;

    private final String name = "jdbc_" + OUTBOXES.incrementAndGet();
    private Connection connection;

    @BeforeAll
    static void openForAll() throws SQLException {
        database = Postgres.NEWEST.database();
        store = PostgresStore.open(database, PostgresSettings.DEFAULTS.withoutMigration());
        Postgres.execute(database, "create table payments (cents int)");
    }

    @AfterAll
    static void closeForAll() {
        store.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = transaction();
    }

    @AfterEach
    void disconnect() throws SQLException {
        connection.rollback();
        connection.close();
    }

    private static Connection transaction() throws SQLException {
        Connection connection = database.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private Outbox outbox() {
        return Outbox.on(store, name);
    }

    private static void pay(Connection connection, int cents) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("insert into payments (cents) values (" + cents + ")");
        }
    }

    private List<String> operations() {
        return outbox().list(Query.all()).entries().stream()
                .map(OutboxEntry::operation)
                .toList();
    }

    @Test
    void committedEntry_isThereWithTheRows_andIsFoundAsItWasReturned() throws Exception {
        pay(connection, 1);
        OutboxEntry added = outbox().add(connection, request("pay", "ann"));
        assertThat(outbox().find(added.id())).isEmpty();
        assertThat(operations()).isEmpty();
        connection.commit();
        assertThat(outbox().find(added.id())).contains(added);
        assertThat(outbox().list(new Query(null, "ann", "", 10)).entries()).containsExactly(added);
        assertThat(Postgres.ask(database, "select count(*) from payments where cents = 1"))
                .isEqualTo("1");
    }

    @Test
    void entryThatIsRolledBack_isNotThere() throws Exception {
        pay(connection, 2);
        OutboxEntry added = outbox().add(connection, request("pay"));
        connection.rollback();
        assertThat(outbox().find(added.id())).isEmpty();
        assertThat(operations()).isEmpty();
        assertThat(Postgres.ask(database, "select count(*) from payments where cents = 2"))
                .isEqualTo("0");
    }

    @Test
    void entryThatIsRolledBackToASavepoint_isNotThere() throws Exception {
        outbox().add(connection, request("kept"));
        var savepoint = connection.setSavepoint();
        outbox().add(connection, request("rolled back"));
        connection.rollback(savepoint);
        outbox().add(connection, request("after"));
        connection.commit();
        assertThat(operations()).containsExactly("kept", "after");
    }

    @Test
    void entriesOfOneTransaction_areInTheOrderOfAdding() throws Exception {
        outbox().add(connection, request("1"));
        outbox().add(connection, request("2"));
        connection.commit();
        outbox().add(connection, request("3"));
        connection.commit();
        outbox().add(request("4"));
        assertThat(operations()).containsExactly("1", "2", "3", "4");
    }

    @Test
    void entryFollowsThoseOfItsLane_evenIfTheyWereAddedByAClockThatIsAhead() throws Exception {
        ControlledTime ahead = new ControlledTime();
        ahead.setClock(InstantSource.system().instant().plusSeconds(3_600));
        Outbox early = Outbox.on(new CountingStore(store, ahead), name, Duration.ofDays(7), Time.system());
        early.add(request("1"));
        outbox().add(connection, request("2"));
        outbox().add(connection, request("3"));
        connection.commit();
        outbox().add(request("4"));
        assertThat(operations()).containsExactly("1", "2", "3", "4");
    }

    @Test
    void twoConnections_addToOneLane_withoutWaitingForEachOther() throws Exception {
        try (Connection other = transaction()) {
            for (int i = 0; i < 20; i++) {
                outbox().add(connection, request("a" + i));
                outbox().add(other, request("b" + i));
                outbox().add(request("c" + i));
            }
            other.commit();
            connection.commit();
        }
        List<String> all = operationsOfAllPages();
        for (String prefix : List.of("a", "b", "c")) {
            assertThat(all.stream().filter(each -> each.startsWith(prefix)))
                    .hasSize(20)
                    .startsWith(prefix + "0", prefix + "1")
                    .endsWith(prefix + "18", prefix + "19");
        }
    }

    private List<String> operationsOfAllPages() {
        return outbox().list(new Query(null, null, "", 1_000)).entries().stream()
                .map(OutboxEntry::operation)
                .toList();
    }

    @Test
    void roleAndSettingsOfTheConnection_areKept() throws Exception {
        String settings = "select concat_ws(' ', current_setting('role'), current_user, current_setting('search_path'),"
                + " current_setting('enable_seqscan'), coalesce(current_setting('semel.user', true), ''))";
        String before = ask(settings);
        outbox().add(connection, request("1"));
        assertThat(ask(settings)).isEqualTo(before);
        connection.commit();
        assertThat(ask(settings)).isEqualTo(before);
    }

    private String ask(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return String.valueOf(rows.getString(1));
        }
    }

    @Test
    void commit_notifiesWatchers() throws Exception {
        Semaphore news = new Semaphore(0);
        Runnable end = store.watch(news::release);
        try {
            assertThat(news.tryAcquire(1, TimeUnit.MINUTES))
                    .as("that it listens")
                    .isTrue();
            news.drainPermits();
            outbox().add(connection, request("1"));
            connection.commit();
            assertThat(news.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            end.run();
        }
    }

    @Test
    void entryOfAnOperationThatRunsOncePerKey_isAddedOnce() {
        CallerTransactions transactions = CallerTransactions.on(store);
        Call call = Call.of(new IdempotencyKey("ann", "POST /payments", name), Fingerprint.ofJson("1"));
        for (int i = 0; i < 2; i++) {
            Outcome outcome = transactions.run(call, operation -> {
                pay(operation, 3);
                outbox().add(operation, request("pay"));
                return Response.of("paid");
            });
            assertThat(outcome.orElseThrow().text()).isEqualTo("paid");
        }
        assertThat(operations()).containsExactly("pay");
    }

    @Test
    void entryOfAnOperationThatFails_isNotAdded() {
        CallerTransactions transactions = CallerTransactions.on(store);
        Call call = Call.of(new IdempotencyKey("ann", "POST /payments", name), Fingerprint.ofJson("1"));
        Outcome outcome = transactions.run(call, operation -> {
            outbox().add(operation, request("pay"));
            throw new IllegalStateException("declined");
        });
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        assertThat(operations()).isEmpty();
    }

    @Test
    void connectionInAutoCommitMode_isRejected() throws Exception {
        try (Connection automatic = database.getConnection()) {
            assertThatThrownBy(() -> outbox().add(automatic, request("1")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("auto-commit");
        }
        assertThat(operations()).isEmpty();
    }

    @Test
    void transactionThatHasFailed_throwsAStoreException() {
        assertThatThrownBy(() -> ask("select 1 / 0")).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> outbox().add(connection, request("1"))).isInstanceOf(StoreException.class);
        assertThat(operations()).isEmpty();
    }

    @Test
    void storeThatIsNoDatabase_isRejected() {
        try (MemoryStore memory = new MemoryStore()) {
            assertThatThrownBy(() -> Outbox.on(memory).add(connection, request("1")))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("JDBC");
        }
    }
}
