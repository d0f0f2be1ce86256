package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Eventually;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** A real server, with durability on. It starts when it is first used, and ends with the process. */
public final class Postgres {

    public static final Postgres NEWEST = new Postgres(18);
    static final Postgres OLDEST = new Postgres(16);

    private static final String TEMPLATE = "semel_template";

    /** Finds the tables of the application and of Semel; new tables are the application's. */
    private static final String SEARCH_PATH = "set search_path to public, semel";

    private final int version;
    private final AtomicInteger databases = new AtomicInteger();
    private final Queue<DataSource> unused = new ConcurrentLinkedQueue<>();
    private @Nullable EmbeddedPostgres server;

    private Postgres(int version) {
        this.version = version;
    }

    int version() {
        return version;
    }

    private synchronized EmbeddedPostgres server() {
        if (server == null) {
            try {
                server = start();
                run("postgres", "create database " + TEMPLATE);
                PostgresStore.open(source(TEMPLATE), PostgresSettings.DEFAULTS).close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return server;
    }

    private EmbeddedPostgres start() throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "200")
                .setPGStartupWait(Duration.ofMinutes(2));
        return this == OLDEST
                ? builder.setPgBinaryResolver((system, machine) -> oldest()).start()
                : builder.start();
    }

    /** The build copies the second version here, because only one can be on the class path. */
    private static InputStream oldest() throws IOException {
        URL jar = Path.of("target", "postgres-oldest.jar").toUri().toURL();
        try (URLClassLoader programs = new URLClassLoader(new URL[] {jar}, null)) {
            URL found = programs.getResource("postgres-linux-x86_64.txz");
            if (found == null) {
                throw new IOException("The programs are not in " + jar);
            }
            return found.openStream();
        }
    }

    /** Returns a database with Semel's tables that tests only read. */
    DataSource template() {
        return source(TEMPLATE);
    }

    /** Creates a database without tables. */
    public PGSimpleDataSource emptyDatabase() {
        return database("");
    }

    /** Creates a database with Semel's tables. */
    public PGSimpleDataSource database() {
        return database(" template " + TEMPLATE);
    }

    /**
     * Returns a database with Semel's tables, emptied if it was used before. A new one takes longer, because PostgreSQL writes thousands of
     * files.
     */
    DataSource usedDatabase() {
        DataSource used = unused.poll();
        if (used == null) {
            return database();
        }
        try {
            execute(
                    used,
                    "delete from idempotency_records; delete from documents; delete from index_entries; delete from commit_log;"
                            + " delete from cleanup_logs");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return used;
    }

    /** Makes a database available to other tests. */
    void giveBack(DataSource database) {
        unused.add(database);
    }

    private PGSimpleDataSource database(String like) {
        server();
        String name = "test_" + databases.incrementAndGet();
        run("postgres", "create database " + name + like);
        return source(name);
    }

    /** Returns a source of new connections as the superuser. */
    PGSimpleDataSource source(String database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(server().getJdbcUrl("postgres", database));
        return source;
    }

    /** Returns the store URL of a database. */
    public static String url(PGSimpleDataSource database) {
        return "postgres://" + database.getUser() + "@localhost:" + database.getPortNumbers()[0] + "/"
                + database.getDatabaseName();
    }

    private void run(String database, String sql) {
        try (Connection connection = source(database).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the first column of the first row; null if there is no row. */
    public static @Nullable String ask(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(SEARCH_PATH);
            try (ResultSet rows = statement.executeQuery(sql)) {
                return rows.next() ? rows.getString(1) : null;
            } finally {
                statement.execute("reset search_path");
            }
        }
    }

    /** Waits until there are no other sessions; they end a moment after their clients have disconnected. */
    public static void assertNobodyConnected(DataSource database) throws SQLException {
        String others = "select count(*) from pg_stat_activity where datname = current_database()"
                + " and backend_type = 'client backend' and pid <> pg_backend_pid()";
        Eventually.assertHolds(() -> assertThat(ask(database, others)).isEqualTo("0"));
    }

    public static void execute(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(SEARCH_PATH);
            try {
                statement.execute(sql);
            } finally {
                statement.execute("reset search_path");
            }
        }
    }
}
