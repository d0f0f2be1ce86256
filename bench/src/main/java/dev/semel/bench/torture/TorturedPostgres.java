package dev.semel.bench.torture;

import dev.semel.bench.PostgresServer;
import dev.semel.testkit.crash.CrashSettings;
import dev.semel.testkit.crash.Fault;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A PostgreSQL server that two workers share, with a database per round. Faults: {@code pg_terminate_backend} ends a connection;
 * {@code kill -9} kills a backend process, after which the server restarts all others; {@code kill -9} kills the server with all its
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
            throw new IOException("Cannot create a database", e);
        }
        List<Fault> faults = List.of(this::endConnection, this::killBackend, random -> server.killAndRestart());
        return CrashSettings.of(PostgresOpener.class, folder)
                .withWorkers(WORKERS)
                .withFaults(faults);
    }

    private void endConnection(SplittableRandom random) throws IOException, InterruptedException {
        breakConnection(
                random, pid -> server.query(PostgresServer.POSTGRES, "select pg_terminate_backend(" + pid + ")"));
    }

    private void killBackend(SplittableRandom random) throws IOException, InterruptedException {
        breakConnection(random, pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    /** A fault of a backend process. */
    private interface BackendFault {
        void inject(long pid) throws SQLException;
    }

    /** Injects a fault into a random connection. There may be none while the server recovers, or before a worker has connected. */
    private void breakConnection(SplittableRandom random, BackendFault fault) throws IOException, InterruptedException {
        try {
            List<String> all = server.query(PostgresServer.POSTGRES, CONNECTIONS);
            if (!all.isEmpty()) {
                fault.inject(Long.parseLong(all.get(random.nextInt(all.size()))));
            }
        } catch (SQLException e) {
            // the server is still recovering
        }
        server.awaitReady();
    }

    @Override
    public void close() {
        server.close();
    }
}
