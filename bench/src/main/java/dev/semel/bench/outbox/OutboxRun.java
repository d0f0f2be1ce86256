package dev.semel.bench.outbox;

import static dev.semel.bench.outbox.OutboxFigures.ADD;
import static dev.semel.bench.outbox.OutboxFigures.BARE;
import static dev.semel.bench.outbox.OutboxFigures.EMBEDDED;
import static dev.semel.bench.outbox.OutboxFigures.PEER;
import static dev.semel.bench.outbox.OutboxFigures.POSTGRES;
import static dev.semel.bench.outbox.OutboxFigures.WRK;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.bench.Contest;
import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Contest.Scores;
import dev.semel.bench.PostgresServer;
import dev.semel.bench.Progress;
import dev.semel.bench.TempFolder;
import dev.semel.bench.rocksdb.BareDatabase;
import dev.semel.bench.rocksdb.BareDatabase.Row;
import dev.semel.outbox.Outbox;
import dev.semel.postgres.PostgresSettings;
import dev.semel.postgres.PostgresStore;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.store.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.ToDoubleFunction;

/** Runs the benchmark of the outbox. Contenders take turns, every other round in reverse order. */
final class OutboxRun {

    private static final List<Integer> CALLERS = List.of(1, 8, 64);

    /** JVMs optimize the code of senders and server only after some ten thousand requests. */
    private static final int WARM_UP_ROUNDS = 3;

    /** Connections of the store. Its callers share round trips, so more would not help. */
    private static final int STORE_CONNECTIONS = 8;

    private final Path folder;
    private final PostgresServer database;
    private final Size size;
    private final Target target;
    private final ToDoubleFunction<Target> wrk;
    private final OutboxFigures figures;

    /**
     * The size of the benchmark.
     *
     * @param entries how many entries are sent in each round
     * @param connections how many connections to the server a contender has
     * @param effort how many rounds follow those to warm up, and the length of slices in which entries are added
     */
    record Size(int entries, int connections, Effort effort) {}

    /**
     * Prepares a run.
     *
     * @param folder for temporary stores
     * @param wrk loads a target, and returns the requests per second
     */
    OutboxRun(Path folder, PostgresServer database, Size size, Target target, ToDoubleFunction<Target> wrk) {
        this.folder = folder;
        this.database = database;
        this.size = size;
        this.target = target;
        this.wrk = wrk;
        this.figures = new OutboxFigures(size.entries, size.connections);
    }

    OutboxFigures run() throws IOException, SQLException, InterruptedException {
        List<String> order = new ArrayList<>(List.of(WRK, EMBEDDED, POSTGRES, PEER));
        int rounds = size.effort.rounds();
        for (int round = 1 - WARM_UP_ROUNDS; round <= rounds; round++) {
            for (String what : order) {
                Progress.show(round <= 0 ? "warming up: %3$s" : "round %d of %d: %s", round, rounds, what);
                double perSecond = send(what);
                if (round > 0) {
                    figures.add(what, perSecond);
                }
            }
            Collections.reverse(order);
        }
        List<Row> rows = rowsOfOneEntry();
        figures.bytesPerEntry = rows.stream().mapToInt(Row::length).sum();
        for (int callers : CALLERS) {
            Progress.show("adding, callers: %d", callers);
            figures.adding.put(callers, adding(callers, rows));
        }
        return figures;
    }

    private double send(String what) throws IOException, SQLException, InterruptedException {
        return switch (what) {
            case EMBEDDED -> embedded();
            case POSTGRES -> postgres();
            case PEER -> peer();
            default -> wrk.applyAsDouble(target);
        };
    }

    private double embedded() throws IOException, InterruptedException {
        Path subfolder = folder.resolve(EMBEDDED);
        try (RocksDbStore store = RocksDbStore.open(subfolder, RocksDbSettings.DEFAULTS, Time.system())) {
            Drain drain = new Drain(Outbox.on(store), target, size.connections);
            drain.fill(size.entries, figures.lanes());
            return drain.run(size.entries);
        } finally {
            TempFolder.delete(subfolder);
        }
    }

    private double postgres() throws SQLException, InterruptedException {
        String name = "semel_outbox";
        database.newDatabase(name);
        try (HikariDataSource pool = database.pool(name, STORE_CONNECTIONS);
                PostgresStore store = PostgresStore.open(pool, PostgresSettings.DEFAULTS)) {
            Drain drain = new Drain(Outbox.on(store), target, size.connections);
            drain.fill(size.entries, figures.lanes());
            database.execute(name, "vacuum (analyze)");
            return drain.run(size.entries);
        } finally {
            database.dropDatabase(name);
        }
    }

    private double peer() throws SQLException, InterruptedException {
        String name = "transaction_outbox";
        database.newDatabase(name);
        try (HikariDataSource pool = database.pool(name, size.connections + 1); // one for each sender, and one to read
                TransactionOutboxPeer peer = new TransactionOutboxPeer(pool, target, size.connections)) {
            peer.fill(size.entries);
            database.execute(name, "vacuum (analyze)");
            return peer.drain(size.entries);
        } finally {
            database.dropDatabase(name);
        }
    }

    /** Returns the rows that adding one entry writes. */
    private List<Row> rowsOfOneEntry() throws IOException {
        Path subfolder = folder.resolve("one");
        try {
            try (RocksDbStore store = RocksDbStore.open(subfolder, RocksDbSettings.DEFAULTS, Time.system())) {
                Outbox.on(store).add(Target.request("lane-0"));
            }
            try (BareDatabase bare = BareDatabase.open(subfolder.resolve("db"), true)) {
                return bare.rows();
            }
        } finally {
            TempFolder.delete(subfolder);
        }
    }

    private Scores adding(int callers, List<Row> rows) throws IOException {
        Path subfolder = folder.resolve("adding-" + callers);
        Path bareFolder = Files.createDirectories(subfolder.resolve(BARE));
        try (RocksDbStore store = RocksDbStore.open(subfolder.resolve(ADD), RocksDbSettings.DEFAULTS, Time.system());
                BareDatabase bare = BareDatabase.open(bareFolder, true)) {
            Outbox outbox = Outbox.on(store);
            return new Contest(callers, size.effort)
                    .withVirtualThreads(ADD, () -> outbox.add(Target.request(anyLane())))
                    .with(BARE, () -> bare.write(rows))
                    .run();
        } finally {
            TempFolder.delete(subfolder);
        }
    }

    private String anyLane() {
        return "lane-" + ThreadLocalRandom.current().nextInt(figures.lanes());
    }
}
