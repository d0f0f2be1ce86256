package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.memory.MemoryStore;
import dev.semel.postgres.Postgres;
import dev.semel.postgres.PostgresSettings;
import dev.semel.postgres.PostgresStore;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.Handler;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.Eventually;
import dev.semel.testkit.FaultyStore;
import dev.semel.testkit.ForwardingStore;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

class HealthTest {

    @Test
    void server_isLiveAndReady() {
        try (ServerFixture server = ServerFixture.onMemory()) {
            assertThat(server.asNobody().get("/health/live").text()).isEqualTo("{\"status\":\"up\"}");
            assertThat(server.asNobody().get("/health/ready").text()).isEqualTo("{\"status\":\"up\"}");
        }
    }

    @Test
    void unreachableStore_isLiveButNotReady() {
        FaultyStore store = new FaultyStore(new MemoryStore());
        try (ServerFixture server = ServerFixture.on(
                store,
                Time.system(),
                apps -> List.of(routes -> routes.atomic("POST", "/nothing", request -> {
                    request.tx().read(new DocumentId("a", "b", "c"));
                    return ApiResponse.nothing();
                })))) {
            assertThat(server.as("ann").post("/nothing", "").status()).isEqualTo(204);
            assertReadyIsReported(server, 1);
            store.goDown();
            assertThat(server.asNobody().get("/health/live").status()).isEqualTo(200);
            assertUnavailable(server.asNobody().get("/health/ready"));
            assertThat(Scrape.of(server).value("semel_ready")).isZero(); // the first read starts the first check
            assertUnavailable(server.as("ann").post("/nothing", ""));
            assertUnavailable(server.as("ann").post("/nothing", "", "Idempotency-Key", "k"));
            store.comeUp();
            assertThat(server.asNobody().get("/health/ready").status()).isEqualTo(200);
            assertReadyIsReported(server, 1);
            assertThat(server.as("ann")
                            .post("/nothing", "", "Idempotency-Key", "k")
                            .status())
                    .isEqualTo(204);
        }
    }

    private static void assertReadyIsReported(ServerFixture server, double ready) {
        String name = "semel_ready";
        assertThat(Scrape.await(server, scrape -> scrape.value(name) == ready).value(name))
                .isEqualTo(ready);
    }

    private static String reason(ServerFixture server) {
        Reply ready = server.asNobody().get("/health/ready");
        return ready.status() + " " + ready.text("code") + " " + ready.text("reason") + ": " + ready.text("detail");
    }

    /** Reads still succeed. The check is repeated, since the server may notice the 503 shortly after its client. */
    @Test
    void storeThatCannotBeWritten_isNotReady() {
        FaultyStore store = new FaultyStore(new MemoryStore());
        try (ServerFixture server = ServerFixture.on(store, Time.system(), Apps::all)) {
            assertThat(server.asNobody().get("/health/ready").status()).isEqualTo(200);
            store.failBefore(Integer.MAX_VALUE);
            assertThat(server.as("ann").post("/api/submit", "{\"body\":\"x\"}").status())
                    .isEqualTo(503);
            Eventually.assertHolds(() -> assertThat(reason(server)).startsWith("503 store_unavailable failed: "));
            store.failBefore(0);
            assertThat(server.asNobody().get("/health/ready").status()).isEqualTo(200);
        }
    }

    @Test
    void fullMemory_isNotReadyUntilThereIsSpace() {
        MemoryStore store = new MemoryStore(Time.system(), 100_000);
        try (ServerFixture server = ServerFixture.on(store, Time.system(), Apps::all)) {
            String first = "";
            for (int size : new int[] {10_000, 100}) {
                Reply made = create(server, size);
                first = first.isEmpty() ? made.text("id") : first;
                while (made.status() == 201) {
                    assertThat(reason(server)).startsWith("200 ");
                    made = create(server, size);
                }
                assertThat(made.status()).isEqualTo(503);
            }
            Eventually.assertHolds(
                    () -> assertThat(reason(server)).isEqualTo("503 store_unavailable full: The memory is full"));
            server.as("ann").delete("/v1/collections/c/records/" + first);
            assertThat(reason(server)).startsWith("200 ");
        }
    }

    private static Reply create(ServerFixture server, int size) {
        return server.as("ann").post("/v1/collections/c/records", "\"" + "x".repeat(size) + "\"");
    }

    @Test
    void writeThatHangs_isNotReady() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CompletableFuture<Void> goingOn = new CompletableFuture<>();
        ForwardingStore store = new ForwardingStore(new MemoryStore()) {
            @Override
            public CommitResult commit(Commit commit) {
                hanging.countDown();
                goingOn.join();
                return super.commit(commit);
            }
        };
        ControlledTime time = new ControlledTime();
        try (ServerFixture server = ServerFixture.on(store, time, apps -> List.of())) {
            CompletableFuture<Reply> first =
                    CompletableFuture.supplyAsync(() -> server.asNobody().get("/health/ready"));
            hanging.await();
            assertThat(reason(server)).startsWith("200 ");
            time.advance(Duration.ofSeconds(6));
            assertThat(reason(server)).startsWith("503 store_unavailable unreachable: ");
            goingOn.complete(null);
            assertThat(first.get().status()).isEqualTo(200);
            assertThat(reason(server)).startsWith("200 ");
        } finally {
            goingOn.complete(null);
        }
    }

    @Test
    void check_seldomWrites() {
        FaultyStore store = new FaultyStore(new MemoryStore());
        ControlledTime time = new ControlledTime();
        try (ServerFixture server = ServerFixture.on(store, time, apps -> List.of())) {
            for (int i = 0; i < 20; i++) {
                server.asNobody().get("/health/ready");
            }
            assertThat(store.commits()).isEqualTo(2); // one write and one delete
            time.advance(Duration.ofSeconds(31));
            server.asNobody().get("/health/ready");
            assertThat(store.commits()).isEqualTo(4);
        }
    }

    @Test
    void closedStore_isNotReady(@TempDir Path folder) {
        for (Storage store : List.of(
                Storage.of(new MemoryStore()),
                Storage.of(RocksDbStore.open(folder, RocksDbSettings.DEFAULTS, Time.system())),
                Storage.of(PostgresStore.open(Postgres.NEWEST.database(), PostgresSettings.DEFAULTS)))) {
            try (ServerFixture server = ServerFixture.on(store, Apps::all, settings -> settings)) {
                assertThat(server.asNobody().get("/health/ready").status()).isEqualTo(200);
                store.close();
                assertThat(reason(server)).isEqualTo("503 store_unavailable closed: The store is closed");
                assertThat(server.asNobody().get("/metrics").status()).isEqualTo(200);
            }
        }
    }

    @Test
    void readOnlyDatabase_isNotReady() throws Exception {
        PGSimpleDataSource database = Postgres.NEWEST.database();
        try (ServerFixture server = ServerFixture.onPostgres(Postgres.url(database), Map.of())) {
            assertThat(server.asNobody().get("/health/ready").status()).isEqualTo(200);
            setReadOnly(database, true);
            assertThat(server.as("ann").post("/api/submit", "{\"body\":\"x\"}").status())
                    .isEqualTo(503);
            Eventually.assertHolds(() ->
                    assertThat(reason(server)).isEqualTo("503 store_unavailable read_only: The database is read-only"));
            assertThat(server.as("ann").get("/v1/feed/posts").status()).isEqualTo(200);
            setReadOnly(database, false);
            Eventually.assertHolds(() ->
                    assertThat(server.asNobody().get("/health/ready").status()).isEqualTo(200));
        }
    }

    /** Affects new connections only. Existing ones are terminated when it is set; when it is unset, the server has to replace them. */
    private static void setReadOnly(PGSimpleDataSource database, boolean readOnly) throws Exception {
        Postgres.execute(
                database,
                "begin read write; alter database \"" + database.getDatabaseName()
                        + "\" set default_transaction_read_only = " + (readOnly ? "on" : "off") + "; commit;"
                        + (readOnly
                                ? " select pg_terminate_backend(pid) from pg_stat_activity"
                                        + " where datname = current_database() and pid <> pg_backend_pid()"
                                : ""));
    }

    /** Uses a disk that only another process sees. Skipped where the system does not allow this. */
    @Test
    void fullDisk_isNotReadyUntilThereIsSpace(@TempDir Path disk, @TempDir Path elsewhere) throws Exception {
        List<String> mounted = List.of(
                "unshare",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs -o size=32m none \"$0\" && exec \"$@\"",
                disk.toString());
        assumeTrue(run(mounted, List.of("true"), elsewhere).status() == 0, "needs the right to mount a disk");
        Ran ran = run(
                mounted,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        FullDisk.class.getName(),
                        disk.toString()),
                elsewhere);
        assertThat(ran.lines())
                .containsExactly(
                        "before: 200  ",
                        "writes: 503",
                        "full: 503 full The disk is full",
                        "reads: 200",
                        "room: 200  ",
                        "writes: 201");
    }

    private record Ran(int status, List<String> lines) {}

    private static Ran run(List<String> in, List<String> command, Path elsewhere) throws Exception {
        Process process;
        try {
            process = new ProcessBuilder(
                            Stream.concat(in.stream(), command.stream()).toList())
                    .redirectError(elsewhere.resolve("errors").toFile())
                    .start();
        } catch (IOException e) {
            return new Ran(-1, List.of());
        }
        List<String> lines = new String(process.getInputStream().readAllBytes(), UTF_8)
                .lines()
                .toList();
        return new Ran(process.waitFor(), lines);
    }

    @Test
    void stoppingServer_isNotReady() {
        Health health = new Health(new MemoryStore(), Time.system());
        Routes routes = new Routes();
        health.declare(routes);
        health.stopping();
        Handler ready =
                routes.find("GET", "/health/ready").orElseThrow().route().handler();
        Request request = new Request("", Map.of(), Map.of(), header -> null, new byte[0], null);
        assertThatThrownBy(() -> ready.handle(request))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        refusal -> assertThat(new String(refusal.problem().toJson(), UTF_8))
                                .contains("\"status\":503", "\"code\":\"stopping\"", "\"reason\":\"stopping\""));
    }

    @Test
    void faults_areDistinguished() {
        assertThat(StoreFault.of(StoreException.unavailable("x", new SQLException("secret", "53100"))))
                .isEqualTo(new StoreFault("full", "The database is out of space or connections"));
        assertThat(StoreFault.of(StoreException.unavailable(
                        "The disk failed to write: /data/000001.log: Read-only file system", null)))
                .isEqualTo(new StoreFault("read_only", "The disk is read-only"));
        assertThat(StoreFault.of(StoreException.rejected("The memory store is full: its limit is 1 bytes")))
                .isEqualTo(new StoreFault("full", "The memory is full"));
        assertThat(StoreFault.of(StoreException.unavailable("The disk failed to read: secret", null)))
                .isEqualTo(new StoreFault("failed", "The disk failed; see the server's log"));
    }

    private static void assertUnavailable(Reply reply) {
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.text("error")).isEqualTo("Store unavailable");
        assertThat(reply.text("code")).isEqualTo("store_unavailable");
        assertThat(reply.header("Retry-After")).isEqualTo("1");
    }
}
