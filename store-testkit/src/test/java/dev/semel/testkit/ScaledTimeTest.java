package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ScaledTimeTest {

    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void clock_runsAtItsSpeed_fromItsOrigin() {
        Instant origin = Instant.now().minusSeconds(10);
        ScaledTime time = new ScaledTime(origin, 20, HOUR);
        Instant least = origin.plusSeconds(200).plus(HOUR);
        assertThat(time.instant()).isBetween(least, least.plusSeconds(20 * 60));
        assertThat(new ScaledTime(origin, 20, HOUR).instant())
                .isAfterOrEqualTo(time.instant().minusSeconds(1));
    }

    @Test
    void clock_doesNotGoBack() {
        ScaledTime time = new ScaledTime(Instant.now(), 7, Duration.ZERO);
        Instant last = time.instant();
        for (int i = 0; i < 10_000; i++) {
            Instant next = time.instant();
            assertThat(next).isAfterOrEqualTo(last);
            last = next;
        }
    }

    @Test
    void task_isDueSoonerThanInRealTime() throws InterruptedException {
        ScaledTime time = new ScaledTime(Instant.now(), 1_000, Duration.ZERO);
        CountDownLatch ran = new CountDownLatch(1);
        long before = time.nanoTime();
        time.after(HOUR.dividedBy(60), ran::countDown);
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(time.nanoTime() - before)
                .isGreaterThanOrEqualTo(HOUR.dividedBy(60).toNanos());
    }

    @Test
    void taskThatBecomesDueWhenTheClockIsSet_runsOnce() throws InterruptedException {
        ScaledTime time = new ScaledTime(Instant.now(), 1, Duration.ZERO);
        CountDownLatch ran = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        time.after(HOUR, () -> {
            runs.incrementAndGet();
            ran.countDown();
        });
        time.advance(HOUR.dividedBy(2));
        assertThat(ran.getCount()).isEqualTo(1);
        time.advance(HOUR);
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        time.advance(HOUR);
        assertThat(runs).hasValue(1);
    }

    @Test
    void cancelledTask_doesNotRun() {
        ScaledTime time = new ScaledTime(Instant.now(), 1, Duration.ZERO);
        AtomicInteger runs = new AtomicInteger();
        time.after(HOUR, runs::incrementAndGet).run();
        time.advance(HOUR.multipliedBy(2));
        assertThat(runs).hasValue(0);
    }
}
