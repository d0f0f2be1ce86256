package dev.semel.store.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RowLocksTest {

    private static final byte[] COMMON = "common".getBytes(UTF_8);
    private static final byte[] OTHER = "other".getBytes(UTF_8);

    private final RowLocks locks = new RowLocks();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void rowThatIsOnlyChecked_isLockedBySeveralAtOnce() throws Exception {
        RowLocks.Held mine = locks.lock(List.of(), List.of(COMMON));
        Future<?> other =
                threads.submit(() -> locks.lock(List.of(OTHER), List.of(COMMON)).release());
        other.get(1, TimeUnit.MINUTES); // would time out if it waited for this thread
        mine.release();
    }

    @Test
    void rowThatIsWritten_isLockedByNobodyElse() throws Exception {
        int rounds = 2_000;
        AtomicInteger writers = new AtomicInteger();
        AtomicInteger checkers = new AtomicInteger();
        List<Future<?>> all = List.of(
                threads.submit(() -> write(rounds, writers, checkers)),
                threads.submit(() -> write(rounds, writers, checkers)),
                threads.submit(() -> check(rounds, writers, checkers)),
                threads.submit(() -> check(rounds, writers, checkers)));
        for (Future<?> each : all) {
            each.get(1, TimeUnit.MINUTES);
        }
    }

    private void write(int rounds, AtomicInteger writers, AtomicInteger checkers) {
        for (int i = 0; i < rounds; i++) {
            RowLocks.Held held = locks.lock(List.of(COMMON));
            assertThat(writers.incrementAndGet()).isEqualTo(1);
            assertThat(checkers).hasValue(0);
            writers.decrementAndGet();
            held.release();
        }
    }

    private void check(int rounds, AtomicInteger writers, AtomicInteger checkers) {
        for (int i = 0; i < rounds; i++) {
            RowLocks.Held held = locks.lock(List.of(), List.of(COMMON));
            checkers.incrementAndGet();
            assertThat(writers).hasValue(0);
            checkers.decrementAndGet();
            held.release();
        }
    }

    /** Two rows may have the same lock. */
    @Test
    void rowThatIsBothWrittenAndChecked_isLockedByItsThread() throws Exception {
        locks.lock(List.of(COMMON, OTHER, COMMON), List.of(COMMON, COMMON)).release();
        threads.submit(() -> locks.lock(List.of(COMMON)).release()).get(1, TimeUnit.MINUTES);
    }

    @Test
    void wait_endsIfTheRowIsOnlyChecked() throws Exception {
        RowLocks.Held held = locks.lock(List.of(), List.of(COMMON));
        threads.submit(() -> locks.awaitFree(COMMON, Duration.ofDays(1))).get(1, TimeUnit.MINUTES);
        held.release();
    }
}
