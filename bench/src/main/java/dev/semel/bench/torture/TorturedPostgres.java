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

    private void endConnection(SplittableRandom random) throws IOException, InterruptedException {
        strikeConnection(random, pid -> server.ask("postgres", "select pg_terminate_backend(" + pid + ")"));
    }

    private void killBackend(SplittableRandom random) throws IOException, InterruptedException {
        strikeConnection(random, pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    /** What is done to the process behind a connection. */
    private interface Stroke {
        void at(long pid) throws SQLException;
    }

    /** A server that still recovers from what it was struck with before has none; nor has one that nobody has come to yet. */
    private void strikeConnection(SplittableRandom random, Stroke stroke) throws IOException, InterruptedException {
        try {
            List<String> all = server.ask("postgres", CONNECTIONS);
            if (!all.isEmpty()) {
                stroke.at(Long.parseLong(all.get(random.nextInt(all.size()))));
            }
        } catch (SQLException e) {
            // it still recovers
        }
        server.awaitReady();
    }

    @Override
    public void close() {
        server.close();
    }
}
