package dev.semel.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgres.Postgres;
import dev.semel.testkit.Eventually;
import dev.semel.testkit.TestSize;
import dev.semel.testkit.client.Fault;
import dev.semel.testkit.client.FaultProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process with little memory sends from a long queue. */
class BacklogIT {

    private static final int ENTRIES = TestSize.of(20_000, 1_000_000);
    private static final int FEW_LANES = 50;
    private static final int SENT = TestSize.of(200, 5_000);
    private static final String HEAP = "-Xmx64m";
    private static final long MOST_RESIDENT_BYTES = 512L << 20;
    private static final Duration PATIENCE = Duration.ofMinutes(TestSize.of(2, 20));
    private static final Pattern RESIDENT = Pattern.compile("VmHWM:\\s+([0-9]+) kB");

    @TempDir
    private static Path shared;

    @TempDir
    private Path temp;

    private static ServeDriver server;
    private final FaultProxy proxy =
            new FaultProxy((request, attempt) -> Fault.NONE, target -> {}, InstantSource.system());
    private final WorkerProcess.Clock clock =
            new WorkerProcess.Clock(InstantSource.system().instant(), 1, Duration.ZERO);

    @BeforeAll
    static void start() {
        server = new ServeDriver("rocksdb:" + shared.resolve("server"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    private WorkerProcess worker(String store) {
        return WorkerProcess.start(store, clock, temp.resolve("worker.log"), HEAP, "-XX:+ExitOnOutOfMemoryError");
    }

    private void send(WorkerProcess worker) {
        worker.call("start", "api", proxy.uri().toString(), "user", "ann");
    }

    @Test
    void longQueueOnRocksDb_inFewLanes_isSentAtOnceWithLittleMemory() throws IOException {
        assertSends("rocksdb:" + temp.resolve("outbox"), FEW_LANES);
    }

    @Test
    void longQueueOnRocksDb_inAsManyLanes_isSentAtOnceWithLittleMemory() throws IOException {
        assertSends("rocksdb:" + temp.resolve("outbox"), ENTRIES);
    }

    @Test
    void longQueueOnPostgres_inFewLanes_isSentAtOnceWithLittleMemory() throws IOException {
        assertSends(Postgres.url(Postgres.NEWEST.database()), FEW_LANES);
    }

    private void assertSends(String store, int lanes) throws IOException {
        proxy.forwardTo(server.port());
        try (WorkerProcess filling = worker(store)) {
            filling.call("open", "name", "long");
            filling.call("fill", "name", "long", "lanes", lanes, "from", 0, "to", ENTRIES);
        }
        try (WorkerProcess sending = worker(store)) {
            sending.call("open", "name", "warm_up"); // loads classes, as the first send of any process does
            sending.call("fill", "name", "warm_up", "lanes", 1, "from", 0, "to", 1);
            send(sending);
            sending.awaitEmpty(PATIENCE);
            sending.call("stop");
            int before = proxy.count();

            sending.call("open", "name", "long");
            long startedAt = System.nanoTime();
            send(sending);
            Eventually.assertHolds(PATIENCE, () -> assertThat(proxy.count()).isGreaterThan(before));
            assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofSeconds(1));
            Eventually.assertHolds(PATIENCE, () -> assertThat(proxy.count()).isGreaterThan(before + SENT));
            assertThat(sending.call("count").get("hasPENDING").booleanValue()).isTrue();
            assertThat(residentBytes(sending)).isLessThan(MOST_RESIDENT_BYTES);
        }
    }

    /** Returns the most memory that a process has used. */
    private static long residentBytes(WorkerProcess worker) throws IOException {
        Matcher resident = RESIDENT.matcher(Files.readString(Path.of("/proc", String.valueOf(worker.pid()), "status")));
        assertThat(resident.find()).isTrue();
        return Long.parseLong(resident.group(1)) << 10;
    }
}
