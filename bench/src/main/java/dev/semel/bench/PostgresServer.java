package dev.semel.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
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
 * A real PostgreSQL in a folder, durable as in production, that can be killed and started again on what it has left. It ends with this
 * process.
 */
public final class PostgresServer implements AutoCloseable {

    private static final Duration STARTING = Duration.ofMinutes(2);
    private static final Duration MOMENT = Duration.ofMillis(10);

    /** A server's own user, in the database that every server has. */
    private static final String NAME = "postgres";

    /** Without one of these, what was acknowledged may be gone after the power was. */
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
     * Starts one.
     *
     * @param settings of the server, beyond its defaults
     * @throws IllegalStateException if it is not durable
     */
    public static PostgresServer start(Path folder, Map<String, String> settings)
            throws IOException, InterruptedException {
        PostgresServer server = new PostgresServer(folder, made(folder), freePort(), settings);
        try {
            server.awaitReady();
            server.refuseIfNotDurable();
            return server;
        } catch (Throwable e) {
            server.close();
            throw e;
        }
    }

    private static Path data(Path folder) {
        return folder.resolve("data");
    }

    /** Unpacks the programs, makes an empty cluster and returns the program that serves it. */
    private static String made(Path folder) throws IOException {
        try (EmbeddedPostgres first = EmbeddedPostgres.builder()
                .setDataDirectory(data(folder))
                .setCleanDataDirectory(false)
                .setPGStartupWait(STARTING)
                .start()) {
            String pid =
                    Files.readAllLines(data(folder).resolve("postmaster.pid")).get(0);
            return ProcessHandle.of(Long.parseLong(pid))
                    .flatMap(handle -> handle.info().command())
                    .orElseThrow(() -> new IOException("Cannot see the program that serves port " + first.getPort()));
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Where a database of it is. */
    public String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=" + NAME;
    }

    /** A new database. */
    public String newDatabase(String name) throws SQLException {
        execute(NAME, "create database " + name);
        return url(name);
    }

    /** A new connection of the server's own user to a database. */
    public Connection connect(String database) throws SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url(database));
        return source.getConnection();
    }

    /** Runs statements that return nothing. */
    public void execute(String database, String sql) throws SQLException {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of all rows that a statement returns. */
    public List<String> ask(String database, String sql) throws SQLException {
        List<String> answers = new ArrayList<>();
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                answers.add(rows.getString(1));
            }
        }
        return answers;
    }

    /** What it has written to its log. */
    public Path log() {
        return folder.resolve("log");
    }

    /** Kills it and all its children, as {@code kill -9} does, and starts it again on the same folder. */
    public void killAndStart() throws IOException, InterruptedException {
        killAll();
        awaitReady();
    }

    /** Returns when it lets somebody in: after a start, and after one of its processes was killed, it recovers first. */
    public void awaitReady() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        SQLException refused = null;
        while (System.nanoTime() - begun < STARTING.toNanos()) {
            Process running = process;
            if (running == null || !running.isAlive()) {
                launch(); // what was left of the one before it is in its way, for as long as it takes to end
            }
            try (Connection connection = connect(NAME)) {
                if (connection.isValid(0)) {
                    return;
                }
            } catch (SQLException e) {
                refused = e;
            }
            Thread.sleep(MOMENT.toMillis());
        }
        throw new IOException("PostgreSQL does not start; see " + log(), refused);
    }

    private synchronized void launch() throws IOException {
        if (ended) {
            throw new IOException("PostgreSQL is not started any more: it has to end");
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

    private void refuseIfNotDurable() throws IOException {
        try {
            for (String setting : DURABILITY) {
                if (!ask(NAME, "show " + setting).equals(List.of("on"))) {
                    throw new IllegalStateException(setting + " is not on");
                }
            }
        } catch (SQLException e) {
            throw new IOException("PostgreSQL does not say whether it is durable", e);
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(atTheEnd);
        } catch (IllegalStateException e) {
            // the process is about to end, and has done so by itself
        }
    }
}
