package dev.semel.server.ops;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.Apps;
import dev.semel.server.ServerFixture;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.ForwardingStore;
import dev.semel.testkit.StoreFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperatorApiTest implements StoreFixture {

    private final ControlledTime time = new ControlledTime();
    private final InterferedStore store = new InterferedStore(new MemoryStore(time, 1 << 20));

    /** A store in which another client writes just before a commit. */
    private static final class InterferedStore extends ForwardingStore {

        private final AtomicReference<Runnable> first = new AtomicReference<>(() -> {});

        InterferedStore(MemoryStore store) {
            super(store);
        }

        @Override
        public CommitResult commit(Commit commit) {
            first.getAndSet(() -> {}).run();
            return super.commit(commit);
        }
    }

    @Override
    public DocumentStore store() {
        return store;
    }

    @Override
    public DocumentStore openAnother(Time time) {
        return new MemoryStore(time, 1 << 20);
    }

    @Override
    public ControlledTime time() {
        return time;
    }

    @Test
    void ownerThatStartsDuringAnAction_isNotReleased() {
        Call call = call("k");
        claimAndCrash(call, IfAbandoned.RERUN);
        time.advance(SETTINGS.lease());
        try (ServerFixture server = ServerFixture.on(store, time, Apps::all)) {
            AtomicReference<IdempotencyRecord> later = new AtomicReference<>();
            store.first.set(() -> later.set(claimAndCrash(call, IfAbandoned.RERUN)));
            Reply refused = release(server);
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.text("code")).isEqualTo("busy");
            assertThat(stored(call)).isEqualTo(later.get());
            assertThat(release(server).status()).isEqualTo(200); // the new decision is about the later run
        }
    }

    @Test
    void responseOverTheLimit_isRejected() {
        Call call = call("k");
        claimAndCrash(call, IfAbandoned.RERUN);
        time.advance(SETTINGS.lease());
        try (ServerFixture server = ServerFixture.on(
                store, time, Apps::all, settings -> settings.withOnce(once -> once.withResponseLimit(100)))) {
            for (int size : List.of(100, 50)) {
                Reply completed = server.withToken(server.token("olga", List.of("operator")))
                        .post(
                                "/v1/ops/keys/ann/k/complete?endpoint=POST%20/payments",
                                "{\"reason\":\"it was paid\",\"body\":\"" + "x".repeat(size) + "\"}");
                assertThat(completed.status()).isEqualTo(size == 50 ? 200 : 400);
            }
        }
    }

    @Test
    void operation_isReleasedAlsoInAFullStore() {
        claimAndCrash(call("k"), IfAbandoned.RERUN);
        time.advance(SETTINGS.lease());
        try (ServerFixture server = ServerFixture.on(store, time, Apps::all)) {
            String text = "{\"body\":\"" + "x".repeat(10_000) + "\"}";
            while (server.as("ann").post("/api/submit", text).status() == 201) {
                // until the store is full
            }
            while (server.as("ann").post("/api/submit", "{\"body\":\"x\"}").status() == 201) {
                // to the last digit
            }
            assertThat(release(server).status()).isEqualTo(200);
            assertThat(server.withToken(server.token("olga", List.of("operator")))
                            .get("/v1/ops/audit")
                            .text())
                    .contains("\"it hangs\"");
        }
    }

    /** So many that the store examines them in several steps. */
    @Test
    void keyBehindManyOthers_isFoundWithOneRequest(@TempDir Path folder) throws Exception {
        RocksDbStore embedded = RocksDbStore.open(folder, RocksDbSettings.DEFAULTS, time);
        try (ServerFixture server = ServerFixture.on(embedded, time, Apps::all)) {
            Once once = new Once(embedded, time, SETTINGS.withQuota(Quota.NONE), OnceListener.NONE);
            once.atomic(call("z-old"), tx -> Response.of("done"));
            Instant before = time.instant().plusMillis(1);
            time.advance(Duration.ofSeconds(1));
            ExecutorService threads = Executors.newFixedThreadPool(64);
            try {
                threads.invokeAll(IntStream.rangeClosed(1, 10_001)
                        .mapToObj(i -> (Callable<Outcome>) () -> once.atomic(call("a" + i), tx -> Response.of("done")))
                        .toList());
            } finally {
                threads.shutdownNow();
            }
            assertThat(embedded.admin()
                            .list(KeyQuery.all(50).createdBefore(before))
                            .records())
                    .isEmpty();
            Reply found =
                    server.withToken(server.token("olga", List.of("operator"))).get("/v1/ops/keys?before=" + before);
            assertThat(found.text()).contains("\"z-old\"").contains("\"next\":null");
        }
    }

    private static Reply release(ServerFixture server) {
        return server.withToken(server.token("olga", List.of("operator")))
                .post("/v1/ops/keys/ann/k/release?endpoint=POST%20/payments", "{\"reason\":\"it hangs\"}");
    }
}
