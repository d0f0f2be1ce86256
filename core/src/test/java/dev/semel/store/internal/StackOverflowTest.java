package dev.semel.store.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.StoreException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Callers at every depth of their stack, from one that leaves no frame to one that leaves enough: the stack overflows at each call that they
 * make. Neither the role of a writer nor a lock is lost.
 */
@Tag("jdk")
@SuppressWarnings("InfiniteRecursion")
class StackOverflowTest {

    private static final int STACK_BYTES = 320 * 1024;

    /** More frames than are needed to write. */
    private static final int FRAMES = 2_000;

    private static final int STEP = 5;

    private static final class Batch {
        private final boolean overflows;
        private volatile boolean active = true;

        Batch(boolean overflows) {
            this.overflows = overflows;
        }
    }

    /** Descends until the stack overflows, and runs a task a given number of frames above. */
    private static final class Descent {
        private final Runnable task;
        private final int framesAbove;
        private boolean ran;
        private boolean overflowed;

        Descent(Runnable task, int framesAbove) {
            this.task = task;
            this.framesAbove = framesAbove;
        }

        private int descend() {
            int above;
            try {
                above = descend() + 1;
            } catch (StackOverflowError e) {
                above = 0;
            }
            if (above == framesAbove && !ran) {
                ran = true;
                run();
            }
            return above;
        }

        private void run() {
            try {
                task.run();
            } catch (StackOverflowError e) {
                overflowed = true;
            }
        }
    }

    /** Runs a task at each of the last frames of a stack, and returns how often it overflowed. */
    private static int sweep(Runnable task) throws Exception {
        int[] overflows = new int[1];
        Thread thread = new Thread(
                null,
                () -> {
                    new Descent(task, 0).run(); // loads its classes
                    for (int frames = 1; frames <= FRAMES; frames += STEP) {
                        Descent descent = new Descent(task, frames);
                        descent.descend();
                        overflows[0] += descent.overflowed ? 1 : 0;
                    }
                },
                "deep",
                STACK_BYTES);
        thread.start();
        thread.join(TimeUnit.MINUTES.toMillis(2));
        assertThat(thread.isAlive()).isFalse();
        return overflows[0];
    }

    private static int deepest() {
        return 1 + deepest();
    }

    @Test
    void writerWhoseStackOverflows_isReplaced() throws Exception {
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        GroupCommit<Batch> group = new GroupCommit<>(
                batches -> {
                    for (Batch batch : batches) {
                        if (batch.overflows) {
                            deepest();
                        }
                        if (!batch.active) {
                            wrong.add("written after its caller had returned");
                        }
                    }
                },
                batch -> 1,
                63);
        AtomicBoolean stopped = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            List<Future<Integer>> others = List.of(
                    threads.submit(() -> writeUntil(stopped, group)),
                    threads.submit(() -> writeUntil(stopped, group)),
                    threads.submit(() -> writeUntil(stopped, group)));
            assertThat(sweep(() -> write(group, false))).isBetween(10, FRAMES / STEP - 10);
            assertThat(sweep(() -> write(group, true))).isBetween(10, FRAMES / STEP - 10);
            stopped.set(true);
            for (Future<Integer> other : others) {
                assertThat(other.get(60, TimeUnit.SECONDS)).isPositive();
            }
            threads.submit(() -> write(group, false)).get(60, TimeUnit.SECONDS);
        } finally {
            stopped.set(true);
            threads.shutdownNow();
        }
        assertThat(wrong).isEmpty();
    }

    private static int writeUntil(AtomicBoolean stopped, GroupCommit<Batch> group) {
        int written = 0;
        while (!stopped.get()) {
            write(group, false);
            written++;
        }
        return written;
    }

    private static void write(GroupCommit<Batch> group, boolean overflows) {
        Batch batch = new Batch(overflows);
        try {
            group.write(batch);
        } catch (StoreException e) {
            assertThat(e).hasCauseInstanceOf(StackOverflowError.class);
        } finally {
            batch.active = false;
        }
    }

    @Test
    void rowLocksOfACallerWhoseStackOverflows_areReleased() throws Exception {
        RowLocks locks = new RowLocks();
        List<byte[]> rows = List.of("a".getBytes(UTF_8), "b".getBytes(UTF_8), "c".getBytes(UTF_8));
        List<byte[]> checked = List.of("d".getBytes(UTF_8), "e".getBytes(UTF_8));
        RowLocks.Held shared = locks.lock(List.of(), checked);
        int overflows = sweep(() -> {
            RowLocks.Held held = locks.lock(rows, checked);
            try {
                deepest();
            } finally {
                held.release();
            }
        });
        assertThat(overflows).isGreaterThan(FRAMES / STEP / 2);
        shared.release();
        locks.lock(rows).release();
        locks.lock(checked).release();
    }
}
