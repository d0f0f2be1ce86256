package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.memory.MemoryStore;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.Response;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
class VirtualWaitersTest {

    private static final int WAITERS = 10_000;

    @Test
    void tenThousandVirtualThreadsThatWait_holdNoPlatformThreads() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "this JDK has no virtual threads");
        ExecutorService threads = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        ControlledTime time = new ControlledTime();
        try (MemoryStore store = new MemoryStore()) {
            Once once = new Once(store, time, StoreFixture.SETTINGS, OnceListener.NONE);
            Call call = call("k").waiting(Duration.ofSeconds(30));
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch sign = new CountDownLatch(1);
            Future<Outcome> first = threads.submit(() -> once.atomic(call, tx -> {
                running.countDown();
                sign.await();
                return Response.of("first");
            }));
            running.await();
            List<Future<Outcome>> waiting = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                waiting.add(threads.submit(() -> once.atomic(call, tx -> Response.of("must not run"))));
            }
            time.awaitScheduled(WAITERS);
            assertThat(ManagementFactory.getThreadMXBean().getThreadCount()).isLessThan(100);
            sign.countDown();
            assertThat(first.get()).isInstanceOf(Outcome.Executed.class);
            for (Future<Outcome> outcome : waiting) {
                assertThat(outcome.get()).isInstanceOf(Outcome.Replayed.class);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
