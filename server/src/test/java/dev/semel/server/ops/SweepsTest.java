package dev.semel.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.server.Apps;
import dev.semel.server.ServerFixture;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.Sweeper;
import dev.semel.testkit.ControlledTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SweepsTest {

    @Test
    void sweepsRequestedDuringASweep_areTheNextOne() throws Exception {
        MemoryStore store = new MemoryStore();
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        Sweeper.Task slow = new Sweeper.Task("things", () -> {
            begun.incrementAndGet();
            awaitQuietly(end);
            return 0L;
        });
        Sweeps sweeps = new Sweeps(
                store.admin(),
                new Sweeper(store.admin(), new ControlledTime(), List.of(slow), (cleanups, complete) -> {}));
        CompletableFuture<List<Cleanup>> first = sweeps.requestSweep();
        CompletableFuture<List<Cleanup>> second = sweeps.requestSweep();
        assertThat(second).isNotSameAs(first);
        assertThat(sweeps.requestSweep()).isSameAs(second);
        end.countDown();
        second.get(60, TimeUnit.SECONDS);
        assertThat(first).isDone();
        assertThat(begun).hasValue(2);
        sweeps.requestSweep().get(60, TimeUnit.SECONDS);
        assertThat(begun).hasValue(3);
    }

    @Test
    void serverSweeps_soonAfterItsStart_andThenEverySixHours_untilItStops() {
        ControlledTime time = new ControlledTime();
        MemoryStore store = new MemoryStore(time, 1 << 20);
        List<Cleanup> last;
        try (ServerFixture server = ServerFixture.on(store, time, Apps::all)) {
            assertThat(server.server().url()).isNotEmpty();
            time.advance(Duration.ofSeconds(66)); // a minute, or up to a tenth more
            int sweeps = store.admin().cleanups(1000).size();
            assertThat(sweeps).isPositive();
            time.advance(Duration.ofHours(6).minusSeconds(7));
            assertThat(store.admin().cleanups(1000)).hasSize(sweeps);
            time.advance(Duration.ofMinutes(36).plusSeconds(7));
            last = store.admin().cleanups(1000);
            assertThat(last).hasSize(2 * sweeps);
        }
        time.advance(Duration.ofDays(1)); // the store is closed, so a sweep would fail and be logged
        assertThat(last).allMatch(cleanup -> cleanup.deleted() == 0);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
