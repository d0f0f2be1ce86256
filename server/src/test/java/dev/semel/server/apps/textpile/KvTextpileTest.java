package dev.semel.server.apps.textpile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.semel.document.ShortIdAllocator;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.kv.KvShortIdAllocator;
import dev.semel.kv.KvTiming;
import dev.semel.memory.MemoryStore;
import dev.semel.server.Apps;
import dev.semel.server.ServerFixture;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.settings.AppSettings;
import dev.semel.server.settings.ShortIdSettings;
import dev.semel.server.web.ProblemException;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.ForwardingStore;
import dev.semel.testkit.kv.SimulatedKeyValueStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class KvTextpileTest {

    /** Drops commits that write a post, as a broken connection does: the server cannot know whether they were applied. */
    private static final class LosesPosts extends ForwardingStore {

        private final MemoryStore memory;

        LosesPosts(MemoryStore memory) {
            super(memory);
            this.memory = memory;
        }

        @Override
        public CommitResult commit(Commit commit) {
            if (commit.writes().stream().anyMatch(LosesPosts::isPost)) {
                throw StoreException.unavailable("lost", null);
            }
            return memory.commit(commit);
        }

        private static boolean isPost(DocumentWrite write) {
            return write.id().collection().equals("textpile")
                    && write.id().key().startsWith("post:");
        }
    }

    private static ServerFixture serve(ForwardingStore store) {
        KvTiming timing = new KvTiming(Duration.ofMillis(2_100), Duration.ofSeconds(2), Duration.ZERO);
        return ServerFixture.on(
                store,
                Time.system(),
                Apps::all,
                settings -> settings.withApps(new AppSettings(null, new ShortIdSettings(3, timing, false), false)));
    }

    @Test
    void postThatMayBeStored_isUnknownUnderItsKey_andNotPublishedAgain() {
        try (ServerFixture server = serve(new LosesPosts(new MemoryStore()))) {
            Reply first = server.as("ann").post("/api/submit", "{\"body\":\"x\"}", "Idempotency-Key", "k1");
            assertThat(first.status()).isEqualTo(409);
            assertThat(first.text("code")).isEqualTo("outcome_unknown");
            Reply again = server.as("ann").post("/api/submit", "{\"body\":\"x\"}", "Idempotency-Key", "k1");
            assertThat(again.text("code")).isEqualTo("outcome_unknown");
            Reply withoutKey = server.as("ann").post("/api/submit", "{\"body\":\"x\"}");
            assertThat(withoutKey.status()).isEqualTo(503);
            assertThat(withoutKey.text("error")).isEqualTo("Store unavailable");
        }
    }

    @Test
    void moreRequestsThanMayWait_areRejectedUntilOthersEnd() throws Exception {
        ControlledTime time = new ControlledTime();
        CountDownLatch waiting = new CountDownLatch(KeyValueAllocation.MOST_WAITING);
        CountDownLatch goOn = new CountDownLatch(1);
        KeyValueAllocation allocation = new KeyValueAllocation(
                KvShortIdAllocator.of(
                        new SimulatedKeyValueStore(time),
                        KvTiming.DEFAULTS,
                        IdSchemes.DAY_NONCE,
                        ShortIdAllocator.LADDER,
                        time),
                KvTiming.DEFAULTS.settle());
        Instant now = time.instant();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<Optional<Json>>> posts = new ArrayList<>();
            for (int i = 0; i < KeyValueAllocation.MOST_WAITING; i++) {
                posts.add(threads.submit(() -> allocation.allocate(now, (id, token) -> {
                    waiting.countDown();
                    await(goOn);
                    return Json.of("\"" + id + token + "\"");
                })));
            }
            waiting.await();
            Throwable rejected = catchThrowable(() -> allocation.allocate(now, (id, token) -> Json.of("1")));
            assertThat(rejected)
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            problem -> assertThat(problem.problem().code()).isEqualTo("busy"));
            goOn.countDown();
            for (Future<Optional<Json>> post : posts) {
                assertThat(post.get()).isPresent();
            }
            assertThat(allocation.allocate(now, (id, token) -> Json.of("\"" + id + token + "\"")))
                    .isPresent();
        } finally {
            threads.shutdownNow();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
