package dev.semel.bench.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.bench.Payments;
import dev.semel.bench.PostgresServer;
import dev.semel.id.IdSchemes;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.postgres.CallerTransactions;
import dev.semel.postgres.PostgresSettings;
import dev.semel.postgres.PostgresStore;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A database in which payments are made in three ways: by calls on the store, by an INSERT in a caller-managed transaction, and by the
 * same INSERT without Semel, which is the baseline. Plain SQL has one connection per caller.
 */
final class PaymentDatabase implements AutoCloseable {

    /** Connections of the store. Its callers share round trips, so more would not help. */
    private static final int STORE_CONNECTIONS = 8;

    private static final String TABLE = Filling.SCHEMA + "." + Filling.RECORDS;
    private static final String BARE_TABLE =
            "create table if not exists bare (id text collate \"C\" primary key, data text not null)";
    private static final String INSERT = "insert into bare (id, data) values (?, ?)";
    private static final String SELECT = "select payload_hash, status, response_status, response_headers, response_body"
            + " from " + TABLE + " where id = ?";

    private static final String PAYLOAD = new String(Payments.payload(), UTF_8);

    private final List<HikariDataSource> pools = new ArrayList<>();
    private final HikariDataSource transactions;
    private final HikariDataSource autocommit;
    private final PostgresStore store;
    private final Payments payments;
    private final CallerTransactions callerManaged;

    private PaymentDatabase(PostgresServer server, String name, int callers) {
        HikariDataSource forTheStore = pool(server, name, STORE_CONNECTIONS, true);
        this.store = PostgresStore.open(forTheStore, PostgresSettings.DEFAULTS);
        this.payments = new Payments(store);
        this.transactions = pool(server, name, callers, false);
        this.autocommit = pool(server, name, callers, true);
        this.callerManaged = new CallerTransactions(
                transactions,
                store,
                new Once(store, Time.system(), OnceSettings.DEFAULTS.withQuota(Quota.NONE), OnceListener.NONE));
    }

    /** Opens an existing database. */
    static PaymentDatabase open(PostgresServer server, String name, int callers) throws SQLException {
        server.execute(name, BARE_TABLE);
        return new PaymentDatabase(server, name, callers);
    }

    private HikariDataSource pool(PostgresServer server, String name, int connections, boolean autocommit) {
        HikariDataSource pool = server.pool(name, connections, autocommit);
        pools.add(pool);
        return pool;
    }

    /** Returns the payments that are made by calls on the store. */
    Payments payments() {
        return payments;
    }

    private static String newId() {
        return Payments.newCustomer() + "-" + IdSchemes.TID62.mint();
    }

    private static void insert(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, newId());
            insert.setString(2, PAYLOAD);
            insert.executeUpdate();
        }
    }

    /** Runs BEGIN, INSERT, COMMIT. */
    void insertAndCommit() throws SQLException {
        try (Connection connection = transactions.getConnection()) {
            insert(connection);
            connection.commit();
        }
    }

    /** Runs an INSERT in autocommit. */
    void insertAlone() throws SQLException {
        try (Connection connection = autocommit.getConnection()) {
            insert(connection);
        }
    }

    /** Runs the INSERT in a caller-managed transaction. */
    void insertOnce() {
        requireExecuted(callerManaged.run(Payments.newCall(), PaymentDatabase::insertAndRespond));
    }

    /** Runs the INSERT in a caller-managed transaction that looks up its key only when it commits. */
    void insertOnceEffectFirst() {
        requireExecuted(callerManaged.runEffectFirst(Payments.newCall(), PaymentDatabase::insertAndRespond));
    }

    private static Response insertAndRespond(Connection connection) throws SQLException {
        insert(connection);
        return Response.of(201, Map.of(), Payments.payload());
    }

    private static void requireExecuted(Outcome outcome) {
        if (!(outcome instanceof Outcome.Executed)) {
            throw new IllegalStateException("Not executed: " + outcome);
        }
    }

    /** A completed call, and the id of its row. */
    record Known(Call call, UUID row) {}

    /** Makes payments, and returns their calls. */
    List<Known> payKnown(int count) throws SQLException {
        List<Known> known = new ArrayList<>();
        try (Connection connection = autocommit.getConnection();
                PreparedStatement row = connection.prepareStatement(
                        "select id from " + TABLE + " where user_id = ? and client_tx_id = ?")) {
            for (int i = 0; i < count; i++) {
                Call call = Payments.newCall();
                payments.pay(call, Payments.newCustomer());
                row.setString(1, call.key().user());
                row.setString(2, call.clientTxId());
                try (ResultSet found = row.executeQuery()) {
                    found.next();
                    known.add(new Known(call, found.getObject(1, UUID.class)));
                }
            }
        }
        return known;
    }

    /** Selects the columns of a row that a replay needs. */
    void select(UUID row) throws SQLException {
        try (Connection connection = autocommit.getConnection();
                PreparedStatement select = connection.prepareStatement(SELECT)) {
            select.setObject(1, row);
            try (ResultSet found = select.executeQuery()) {
                if (!found.next() || found.getBytes(1).length == 0 || found.getBytes(5).length == 0) {
                    throw new IllegalStateException("The row is missing");
                }
            }
        }
    }

    /** Returns the store under test. */
    PostgresStore store() {
        return store;
    }

    @Override
    public void close() {
        store.close();
        pools.forEach(HikariDataSource::close);
    }
}
