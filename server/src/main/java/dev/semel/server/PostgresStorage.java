package dev.semel.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.SQLExceptionOverride;
import dev.semel.postgres.PostgresSettings;
import dev.semel.postgres.PostgresStore;
import dev.semel.server.metrics.PostgresMeters;
import dev.semel.server.settings.PostgresUrl;
import dev.semel.server.settings.StoreSettings;
import dev.semel.store.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL store with a connection pool. Timeouts detect a lost database within seconds, also if it does not close its connections. The
 * pool reconnects when the database is back.
 */
final class PostgresStorage {

    private static final Duration FIRST_CONNECTION = Duration.ofSeconds(10);
    private static final Duration CONNECTION = Duration.ofSeconds(2);
    private static final Duration LOCK = Duration.ofSeconds(3);
    private static final Duration STATEMENT = Duration.ofSeconds(5);

    /** A migration uses fewer connections than this. */
    private static final int MIGRATING = 5;

    /** Longer than the statement timeout, so a read times out only if the database has stopped responding. */
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(6);

    private final HikariDataSource pool;
    private final PostgresStore store;
    private final PostgresMeters meters;

    private PostgresStorage(HikariDataSource pool, PostgresStore store, PostgresMeters meters) {
        this.pool = pool;
        this.store = store;
        this.meters = meters;
    }

    /**
     * Connects to the database, installs or migrates its tables if the settings allow it, and opens the store.
     *
     * @throws StoreException if the database cannot be used; the message names the cause, and never contains the password
     */
    static PostgresStorage open(PostgresUrl url, StoreSettings settings) {
        PostgresSettings base = new PostgresSettings(settings.schema(), settings.migrate(), LOCK, STATEMENT);
        prepare(url, base);
        HikariDataSource pool = pool(lasting(url), settings.connections(), settings.connections());
        try {
            PostgresMeters meters = new PostgresMeters(pool);
            PostgresStore store = PostgresStore.open(pool, source(url), base.withoutMigration(), meters);
            return new PostgresStorage(pool, store, meters);
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    /**
     * Uses separate connections: a migration may exceed the pool's timeouts, and a failed first connection reports its cause more clearly.
     */
    private static void prepare(PostgresUrl url, PostgresSettings settings) {
        PGSimpleDataSource source = source(url);
        try {
            source.setLoginTimeout((int) FIRST_CONNECTION.toSeconds());
            source.getConnection().close();
        } catch (SQLException e) {
            throw unusable(url, DatabaseFault.message(e));
        }
        try (HikariDataSource pool = pool(source, MIGRATING, 0)) {
            PostgresStore.open(pool, settings).close();
        } catch (StoreException e) {
            throw unusable(url, DatabaseFault.ofTables(e));
        }
    }

    private static StoreException unusable(PostgresUrl url, String reason) {
        return StoreException.rejected("Cannot use the database " + url.location() + ": " + reason);
    }

    private static PGSimpleDataSource source(PostgresUrl url) {
        PGSimpleDataSource source = url.dataSource();
        if (!url.hasParameter("ApplicationName")) {
            source.setApplicationName("semel");
        }
        return source;
    }

    private static PGSimpleDataSource lasting(PostgresUrl url) {
        PGSimpleDataSource source = source(url);
        if (!url.hasParameter("socketTimeout")) {
            source.setSocketTimeout((int) SOCKET_TIMEOUT.toSeconds());
        }
        return source;
    }

    /** Sets the isolation level that the store requires, whatever the database's default is. */
    private static HikariDataSource pool(PGSimpleDataSource source, int connections, int idle) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("semel");
        config.setDataSource(source);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(idle);
        config.setConnectionTimeout(CONNECTION.toMillis());
        config.setValidationTimeout(CONNECTION.toMillis() / 2);
        config.setInitializationFailTimeout(-1);
        config.setExceptionOverride(new ReadOnlyOverride());
        return new HikariDataSource(config);
    }

    /**
     * Closes a connection on which a write failed because it is read-only. It may stay read-only although a new one would not be: its default
     * was set when it was opened, or it leads to a server that has become a standby.
     */
    private static final class ReadOnlyOverride implements SQLExceptionOverride {

        @java.lang.Override
        public Override adjudicate(SQLException e) {
            return DatabaseFault.isReadOnly(e) ? Override.MUST_EVICT : Override.CONTINUE_EVICT;
        }
    }

    Storage asStorage() {
        return new Storage(store, store.admin(), this::connections, meters, this::close);
    }

    private Map<String, Integer> connections() {
        HikariPoolMXBean now = pool.getHikariPoolMXBean();
        return Map.of(
                "active", now.getActiveConnections(),
                "idle", now.getIdleConnections(),
                "waiting", now.getThreadsAwaitingConnection(),
                "most", pool.getMaximumPoolSize());
    }

    private void close() {
        store.close();
        pool.close();
    }
}
