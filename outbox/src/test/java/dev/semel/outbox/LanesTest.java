package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.outbox.LaneRun.Next;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class LanesTest {

    private static final int MOST_WAITING = 100_000;

    private final ControlledTime time = new ControlledTime();
    private final AtomicInteger overflowed = new AtomicInteger();

    private Lanes lanes(Function<String, Next> run) {
        return new Lanes(1, time, run, overflowed::incrementAndGet);
    }

    /** Otherwise nobody would look for it again. */
    @Test
    void laneThatCannotWait_isReported() {
        Lanes lanes = lanes(lane -> Next.after(Duration.ofSeconds(1)));
        for (int i = 0; i < MOST_WAITING; i++) {
            lanes.offerLater("lane " + i, Duration.ofDays(1));
        }
        assertThat(overflowed).hasValue(0);
        lanes.offer("one more");
        Eventually.assertHolds(() -> assertThat(overflowed).hasValue(1));
        lanes.stop();
    }

    @Test
    void laneThatIsOfferedManyTimes_waitsOnce() {
        Lanes lanes = lanes(lane -> Next.REST);
        for (int i = 0; i < 10_000; i++) {
            lanes.offerLater("lane", Duration.ofDays(1).minusNanos(i));
        }
        assertThat(lanes).hasToString("Lanes[ready 0, active 0, waiting 1]");
        lanes.stop();
    }

    @Test
    void callersThatWaitInVain_areNotKept() {
        Lanes lanes = lanes(lane -> Next.REST);
        lanes.offerLater("lane", Duration.ofDays(1));
        assertThat(lanes.whenIdle()).isSameAs(lanes.whenIdle()).isNotDone();
        lanes.stop();
        assertThat(lanes.whenIdle()).isDone();
    }

    @Test
    void laneThatIsAboutToWait_isOfferedWithThoseThatDo() {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch runsNow = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Lanes lanes = lanes(lane -> {
            runsNow.countDown();
            OutboxProcessorTest.await(goOn);
            return runs.incrementAndGet() == 1 ? Next.after(Duration.ofDays(1)) : Next.REST;
        });
        lanes.offer("lane");
        OutboxProcessorTest.await(runsNow);
        lanes.offerWaiting();
        goOn.countDown();
        Eventually.assertHolds(() -> assertThat(lanes.whenIdle()).isDone());
        assertThat(runs).hasValue(2);
    }

    @Test
    void laneThatRunsAgain_isIdleAfterThat() {
        AtomicInteger runs = new AtomicInteger();
        Lanes lanes = lanes(lane -> runs.incrementAndGet() == 1 ? Next.after(Duration.ofSeconds(1)) : Next.REST);
        lanes.offer("lane");
        time.awaitScheduled(1);
        assertThat(lanes.whenIdle()).isNotDone();
        time.advance(Duration.ofSeconds(1));
        Eventually.assertHolds(() -> assertThat(lanes.whenIdle()).isDone());
        assertThat(runs).hasValue(2);
    }
}
