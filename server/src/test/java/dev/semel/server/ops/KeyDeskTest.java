package dev.semel.server.ops;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.Apps;
import dev.semel.server.ServerFixture;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.IfAbandoned;
import dev.semel.store.KeyQuery;
import dev.semel.store.MemoryStore;
import dev.semel.store.OnceRecord;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Store;
import dev.semel.store.Time;
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

class KeyDeskTest implements StoreFixture {

    private final ControlledTime time = new ControlledTime();
    private final Overtaken store = new Overtaken(new MemoryStore(time, 1 << 20));

    /** A store in which somebody else does something just before a commit. */
    private static final class Overtaken extends ForwardingStore {

        private final AtomicReference<Runnable> first = new AtomicReference<>(() -> {});

        Overtaken(Store store) {
            super(store);
        }

        @Override
        public CommitResult commit(Commit commit) {
            first.getAndSet(() -> {}).run();
            return store.commit(commit);
        }
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Store openAnother(Time time) {
        return new MemoryStore(time, 1 << 20);
    }

    @Override
    public ControlledTime time() {
        return time;
    }

    @Test
    void ownerWhoComesWhileAnOperatorDecides_isNotReleased() {
        Call call = call("k");
        claimAndVanish(call, IfAbandoned.RERUN);
        time.advance(SETTINGS.lease());
        try (ServerFixture server = ServerFixture.on(store, time, Apps::all)) {
            AtomicReference<OnceRecord> later = new AtomicReference<>();
            store.first.set(() -> later.set(claimAndVanish(call, IfAbandoned.RERUN)));
            Reply refused = release(server);
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.text("code")).isEqualTo("busy");
            assertThat(stored(call)).isEqualTo(later.get());
            assertThat(release(server).status()).isEqualTo(200); // if they mean this one
        }
    }

    @Test
    void answerThatIsLargerThanWhatIsKept_isRefused() {
        Call call = call("k");
        claimAndVanish(call, IfAbandoned.RERUN);
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
    void operatorsEndWhatIsUnderWay_alsoWhereThereIsNoRoomLeft() {
        claimAndVanish(call("k"), IfAbandoned.RERUN);
        time.advance(SETTINGS.lease());
        try (ServerFixture server = ServerFixture.on(store, time, Apps::all)) {
            String text = "{\"body\":\"" + "x".repeat(10_000) + "\"}";
            while (server.as("ann").post("/api/submit", text).status() == 201) {
                // until it is full
            }
            while (server.as("ann").post("/api/submit", "{\"body\":\"x\"}").status() == 201) {
                // to the last bit
            }
            assertThat(release(server).status()).isEqualTo(200);
            assertThat(server.withToken(server.token("olga", List.of("operator")))
                            .get("/v1/ops/audit")
                            .text())
                    .contains("\"it hangs\"");
        }
    }

    /** So many that they are not looked at all at once. */
    @Test
    void whatIsFarBehindOthers_isFoundWithOneRequest(@TempDir Path folder) throws Exception {
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
            assertThat(embedded.housekeeping()
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
