package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.MemoryStore;
import dev.semel.store.Sweeper;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SweeperTest {

    private static final Duration STEP = Duration.ofMillis(10);

    /** A tenth of the time for an hour, and then half of it. */
    @Test
    void sweepThatTakesLong_restsLess() {
        ControlledTime time = new ControlledTime();
        AtomicLong left = new AtomicLong(40_000);
        Sweeper.Task task = new Sweeper.Task("things", () -> {
            time.advance(STEP);
            return Math.max(left.getAndDecrement(), 0);
        });
        long begun = time.nanoTime();
        new Sweeper(new MemoryStore(), time, List.of(task), cleanups -> {}).sweep();
        assertThat(Duration.ofNanos(time.nanoTime() - begun))
                .isCloseTo(Duration.ofSeconds(3_600 + 80), Duration.ofSeconds(1));
    }
}
