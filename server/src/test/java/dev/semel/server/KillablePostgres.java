package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** A durable PostgreSQL server that can be killed, and restarted on the same data. */
public final class KillablePostgres implements AutoCloseable {

    private final Path data;
    private final EmbeddedPostgres server;
    private final List<String> command = new ArrayList<>();
    private @Nullable Process restarted;

    public KillablePostgres(Path folder) throws IOException {
        this.data = folder.resolve("postgres");
        this.server = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setPGStartupWait(Duration.ofMinutes(2))
                .start();
        boolean root = ProcessHandle.current().info().user().orElse("").equals("root");
        if (root) {
            command.addAll(List.of("unshare", "-U")); // PostgreSQL refuses to run as root
        }
        command.addAll(
                List.of(Files.readString(Path.of("/proc/" + pid() + "/cmdline")).split("\0")));
    }

    String url() {
        return "postgres://postgres@localhost:" + server.getPort() + "/postgres";
    }

    private long pid() throws IOException {
        return Long.parseLong(
                Files.readAllLines(data.resolve("postmaster.pid"), UTF_8).get(0));
    }

    private List<ProcessHandle> processes() throws IOException {
        ProcessHandle main = ProcessHandle.of(pid()).orElseThrow();
        List<ProcessHandle> all = new ArrayList<>(main.descendants().toList());
        all.add(0, main);
        return all;
    }

    /** Stops or continues all processes of the server. Its connections stay open, but nothing responds. */
    void setSilent(boolean silent) throws IOException, InterruptedException {
        List<String> kill = new ArrayList<>(List.of("kill", silent ? "-STOP" : "-CONT"));
        processes().forEach(process -> kill.add(String.valueOf(process.pid())));
        new ProcessBuilder(kill).start().waitFor();
    }

    /** Kills all processes of the server at once, as {@code kill -9} does. */
    void kill() throws IOException {
        List<ProcessHandle> all = processes();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(process -> process.onExit().join());
    }

    /** Starts the server again. Returns when it accepts connections. */
    void restart() throws IOException {
        restarted = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        while (true) {
            if (!restarted.isAlive()) {
                throw new AssertionError("PostgreSQL did not start again: " + restarted.exitValue());
            }
            try {
                execute("select 1");
                return;
            } catch (SQLException e) {
                Thread.onSpinWait(); // not ready yet
            }
        }
    }

    public int port() {
        return server.getPort();
    }

    void execute(String sql) throws SQLException {
        execute("postgres", sql);
    }

    /** Executes a statement as superuser. */
    public void execute(String database, String sql) throws SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://localhost:" + server.getPort() + "/" + database);
        source.setUser("postgres");
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        if (restarted != null) {
            restarted.onExit().join();
        }
    }
}
