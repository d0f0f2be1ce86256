package dev.semel.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL server with durable settings, in a separate data folder. It can be killed and restarted on the same folder. It ends
 * with this process.
 */
public final class PostgresServer implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration POLL = Duration.ofMillis(10);

    /** Name of the superuser, and of the database that every server has. */
    public static final String POSTGRES = "postgres";

    /** Without one of these, acknowledged writes may be lost in a power failure. */
    private static final List<String> DURABILITY = List.of("fsync", "synchronous_commit", "full_page_writes");

    private final Path folder;
    private final List<String> command;
    private final int port;
    private final Thread atTheEnd = new Thread(this::end);
    private volatile @Nullable Process process;
    private boolean ended;

    private PostgresServer(Path folder, String program, int port, Map<String, String> settings) {
        this.folder = folder;
        this.port = port;
        this.command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("unshare", "-U")); // it refuses to run as root
        }
        command.addAll(List.of(program, "-D", data(folder).toString(), "-p", Integer.toString(port)));
        command.addAll(List.of("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="));
        settings.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
        Runtime.getRuntime().addShutdownHook(atTheEnd);
    }

    /**
     * Starts a server.
     *
     * @param settings server settings that differ from the defaults
     * @throws IllegalStateException if it is not durable
     */
    public static PostgresServer start(Path folder, Map<String, String> settings)
            throws IOException, InterruptedException {
        PostgresServer server = new PostgresServer(folder, createCluster(folder), FreePort.find(), settings);
        try {
            server.awaitReady();
            server.requireDurable();
            return server;
        } catch (Throwable e) {
            server.close();
            throw e;
        }
    }

    private static Path data(Path folder) {
        return folder.resolve("data");
    }

    /** Unpacks the binaries, creates an empty cluster and returns the path of the server binary. */
    private static String createCluster(Path folder) throws IOException {
        try (EmbeddedPostgres first = EmbeddedPostgres.builder()
                .setDataDirectory(data(folder))
                .setCleanDataDirectory(false)
                .setPGStartupWait(START_TIMEOUT)
                .start()) {
            String pid =
                    Files.readAllLines(data(folder).resolve("postmaster.pid")).get(0);
            return ProcessHandle.of(Long.parseLong(pid))
                    .flatMap(handle -> handle.info().command())
                    .orElseThrow(() -> new IOException("Cannot see the program that serves port " + first.getPort()));
        }
    }

    /** Returns the JDBC URL of a database. */
    public String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=" + POSTGRES;
    }

    /** Creates a database, and returns its URL. */
    public String newDatabase(String name) throws SQLException {
        execute(POSTGRES, "create database " + name);
        return url(name);
    }

    /** Drops a database and closes its connections. */
    public void dropDatabase(String name) throws SQLException {
        execute(POSTGRES, "drop database " + name + " with (force)");
    }

    /** Returns a new connection pool for a database. */
    public HikariDataSource pool(String database, int connections) {
        return pool(database, connections, true);
    }

    /** Returns a new connection pool for a database, with autocommit on or off. */
    public HikariDataSource pool(String database, int connections, boolean autocommit) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url(database));
        config.setMaximumPoolSize(connections);
        config.setAutoCommit(autocommit);
        return new HikariDataSource(config);
    }

    /** Returns a new connection of the superuser to a database. */
    public Connection connect(String database) throws SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url(database));
        return source.getConnection();
    }

    /** Executes statements that return no rows. */
    public void execute(String database, String sql) throws SQLException {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the first column of the rows of a query. */
    public List<String> query(String database, String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        }
        return values;
    }

    /** Returns the path of the server's log. */
    public Path log() {
        return folder.resolve("log");
    }

    /** Kills the server and all its processes with {@code kill -9}, and restarts it on the same folder. */
    public void killAndRestart() throws IOException, InterruptedException {
        killAll();
        awaitReady();
    }

    /** Waits until the server accepts connections. It may have to recover first. */
    public void awaitReady() throws IOException, InterruptedException {
        long startedAt = System.nanoTime();
        SQLException refused = null;
        while (System.nanoTime() - startedAt < START_TIMEOUT.toNanos()) {
            Process running = process;
            if (running == null || !running.isAlive()) {
                launch(); // fails until all processes of the previous server have ended
            }
            try (Connection connection = connect(POSTGRES)) {
                if (connection.isValid(0)) {
                    return;
                }
            } catch (SQLException e) {
                refused = e;
            }
            Thread.sleep(POLL.toMillis());
        }
        throw new IOException("PostgreSQL does not start. See " + log(), refused);
    }

    private synchronized void launch() throws IOException {
        if (ended) {
            throw new IOException("PostgreSQL is not restarted, because this process is ending");
        }
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
    }

    private synchronized void end() {
        ended = true;
        killAll();
    }

    private synchronized void killAll() {
        Process running = process;
        if (running == null) {
            return;
        }
        List<ProcessHandle> all = Stream.concat(Stream.of(running.toHandle()), running.descendants())
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(handle -> handle.onExit().join());
    }

    private void requireDurable() throws IOException {
        try {
            for (String setting : DURABILITY) {
                if (!query(POSTGRES, "show " + setting).equals(List.of("on"))) {
                    throw new IllegalStateException(setting + " is not on");
                }
            }
        } catch (SQLException e) {
            throw new IOException("Cannot find out whether PostgreSQL is durable", e);
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(atTheEnd);
        } catch (IllegalStateException e) {
            // the process is ending, and the hook has run
        }
    }
}
