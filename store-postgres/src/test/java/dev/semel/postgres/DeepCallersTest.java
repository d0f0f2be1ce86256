package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.DocumentId;
import dev.semel.store.spi.CommitResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Callers whose stack overflows at any depth of a commit or a read: the store goes on, and no connection is lost. */
@SuppressWarnings("InfiniteRecursion")
class DeepCallersTest {

    private static final int FRAMES = 2_400;
    private static final int STEP = 8;

    private final AtomicInteger commits = new AtomicInteger();

    /** Descends until the stack overflows, and runs a task a given number of frames above. */
    private static int descend(int framesAbove, AtomicBoolean ran, Runnable task) {
        int above;
        try {
            above = descend(framesAbove, ran, task) + 1;
        } catch (StackOverflowError e) {
            above = 0;
        }
        if (above == framesAbove && !ran.getAndSet(true)) {
            try {
                task.run();
            } catch (StackOverflowError e) {
                // the caller gets it
            }
        }
        return above;
    }

    @Test
    void callerWhoseStackOverflows_leavesAStoreThatWorks() throws Exception {
        PGSimpleDataSource database = Postgres.NEWEST.database();
        AtomicBoolean stopped = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (Pool pool = new Pool(database);
                PostgresStore store = PostgresStore.open(pool, PostgresSettings.DEFAULTS.withoutMigration())) {
            commitAndRead(store);
            List<Future<Integer>> others = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                others.add(threads.submit(() -> {
                    int done = 0;
                    for (; !stopped.get(); done++) {
                        commitAndRead(store);
                    }
                    return done;
                }));
            }
            Thread deep = new Thread(
                    null,
                    () -> {
                        for (int frames = 1; frames < FRAMES; frames += STEP) {
                            descend(frames, new AtomicBoolean(), () -> commitAndRead(store));
                        }
                    },
                    "deep",
                    512 * 1024);
            deep.start();
            deep.join(TimeUnit.MINUTES.toMillis(1));
            assertThat(deep.isAlive()).isFalse();
            stopped.set(true);
            for (Future<Integer> other : others) {
                assertThat(other.get(1, TimeUnit.MINUTES)).isPositive();
            }
            commitAndRead(store);
            pool.assertNoneLent();
        } finally {
            stopped.set(true);
            threads.shutdownNow();
        }
    }

    private void commitAndRead(PostgresStore store) {
        String name = "c" + commits.incrementAndGet();
        assertThat(store.commit(Stored.commit(name, Stored.key("ann", name), new DocumentId("things", "", name))))
                .isInstanceOf(CommitResult.Applied.class);
        assertThat(store.find(Stored.key("ann", name)).record()).isNotNull();
        assertThat(store.read(new DocumentId("things", "", name))).isPresent();
    }
}
