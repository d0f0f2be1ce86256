package dev.semel.bench.torture;

import dev.semel.bench.PostgresServer;
import dev.semel.testkit.crash.Blow;
import dev.semel.testkit.crash.CrashSettings;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A PostgreSQL that two workers share, with a database for each round. Struck are a connection, by {@code pg_terminate_backend}; the
 * process behind one, by {@code kill -9}, on which the server ends all the others and recovers; and the server with all its
 * processes.
 */
final class TorturedPostgres implements Tortured {

    private static final int WORKERS = 2;

    private static final String CONNECTIONS = "select pid from pg_stat_activity"
            + " where backend_type = 'client backend' and pid <> pg_backend_pid() order by pid";

    private final PostgresServer server;
    private int rounds;

    private TorturedPostgres(PostgresServer server) {
        this.server = server;
    }

    static TorturedPostgres begin(Path folder) throws IOException {
        try {
            return new TorturedPostgres(PostgresServer.start(folder.resolve("postgres"), Map.of()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while PostgreSQL was started");
        }
    }

    @Override
    public CrashSettings round(Path folder) throws IOException {
        try {
            PostgresOpener.write(folder.resolve("store"), server.newDatabase("round_" + ++rounds));
        } catch (SQLException e) {
            throw new IOException("Cannot make a database", e);
        }
        List<Blow> blows = List.of(this::endConnection, this::killBackend, random -> server.killAndStart());
        return CrashSettings.of(PostgresOpener.class, folder)
                .withWorkers(WORKERS)
                .withBlows(blows);
    }

    private void endConnection(SplittableRandom random) throws IOException {
        try {
            for (long pid : oneConnection(random)) {
                server.ask("postgres", "select pg_terminate_backend(" + pid + ")");
            }
        } catch (SQLException e) {
            throw new IOException("Cannot end a connection", e);
        }
    }

    private void killBackend(SplittableRandom random) throws IOException {
        try {
            for (long pid : oneConnection(random)) {
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            }
        } catch (SQLException e) {
            throw new IOException("Cannot kill what is behind a connection", e);
        }
    }

    /** Empty if there is none yet. */
    private List<Long> oneConnection(SplittableRandom random) throws SQLException {
        List<String> all = server.ask("postgres", CONNECTIONS);
        return all.isEmpty() ? List.of() : List.of(Long.parseLong(all.get(random.nextInt(all.size()))));
    }

    @Override
    public void close() {
        server.close();
    }
}
